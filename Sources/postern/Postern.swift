import CommandLine
import Glibc
import HostPlatform

/// The version as `--version` and the `ready` event tell it.
let posternVersion = "0.1.0"

@main
struct Postern {
    static func main() async {
        var arguments = Array(Swift.CommandLine.arguments.dropFirst())
        let handover = Handover(takingFrom: &arguments)
        var sandbox: Sandbox?
        do {
            try occupyStandardStreams()
            // Here and nowhere else: this is the main thread, and some of it holds for a thread and those it starts.
            if handover != nil {
                sandbox = try Sandbox.enter(drawsScreen: (try? Invocation(arguments))?.action == .session)
            }
        } catch {
            exit(error.code.exitCode)
        }
        if let handover, let sandbox {
            exit(await ChildRole(handover: handover, sandbox: sandbox, arguments: arguments).run())
        }
        exit(ParentRole(arguments: arguments).run())
    }
}
