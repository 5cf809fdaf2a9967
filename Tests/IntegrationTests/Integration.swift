import Support
import Testing

/// The built program against real servers, real peers and scripted enemies. One test at a time: they start processes
/// that want a core each, and a test that fails is to tell about itself alone.
@Suite(.serialized) enum Integration {}

extension Trait where Self == ConditionTrait {
    /// Runs only with a program whose shell answers.
    static var needsProgram: ConditionTrait {
        .enabled("the program's shell does not answer yet") {
            let folder = try TemporaryFolder()
            let shell = try ShellSession(vault: folder.file("vault"), passcodes: ["any"])
            return (try? await shell.refusal(within: 10))?.code == "vault.missing"
        }
    }
}
