package import Application
import Base

/// `postern init`: asks for a passcode (twice on a terminal), fills the vault and makes the outer space.
package struct InitCommand: Sendable {
    private let services: any AppServices
    private let secrets: TypedTwice
    private let messages: any LineSink

    /// - Parameter messages: where progress and advice are told, a line each.
    package init(services: any AppServices, secrets: any SecretInput, messages: any LineSink) {
        self.services = services
        self.secrets = TypedTwice(secrets)
        self.messages = messages
    }

    /// Returns the program's exit code; 0 when the vault is whole.
    package func run(capacity: Int64, allowsWeak: Bool, passcodeDescriptor: Int32?) async -> Int32 {
        do throws(Failure) {
            if passcodeDescriptor == nil { await tell(Self.advice) }
            let passcode = try await secrets.read(.newPasscode, descriptor: passcodeDescriptor)
            let heading = "Filling \(capacity >> 20) MiB with random bytes, so that nothing shows how much is used ..."
            let weak = allowsWeak ? WeakPasscode.allowed : .refused
            let shared = SharedSecret(passcode)
            try await withProgressLines(to: messages, heading: heading) { report in
                await result { () async throws(Failure) in
                    try await services.createVault(
                        passcode: shared.bytes.copy(), weak: weak, capacity: capacity, progress: report)
                }
            }
            await tell("The vault is ready. Open it with: postern")
            return 0
        } catch {
            await tell(error.text)
            return error.code.exitCode
        }
    }

    private func tell(_ text: String) async { await messages.write(Array(text.utf8)) }

    private static let advice = """
        A passcode opens this vault. Nobody can reset it.
        Five or more random words are good; you will be told if it is too easy to guess.
        """
}
