import CommandLine
import Glibc
import HostPlatform

/// The version as `--version` and the `ready` event tell it.
let posternVersion = "0.1.0"

@main
struct Postern {
    static func main() async {
        var arguments = Array(Swift.CommandLine.arguments.dropFirst())
        if let handover = Handover(takingFrom: &arguments) {
            exit(await ChildRole(handover: handover, arguments: arguments).run())
        }
        exit(ParentRole(arguments: arguments).run())
    }
}
