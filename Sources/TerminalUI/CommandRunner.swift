import Application
import Base
import CommandLine
import Domain

/// Runs what a person types after `/`: the shell's commands, by the shell's interpreter.
struct CommandRunner: Sendable {
    let interpreter: Interpreter

    /// - Parameter line: without the slash.
    func run(_ line: String) async -> CommandAnswer {
        var words: [String] = []
        do throws(Failure) {
            words = try shellWords(line)
            let command = try parseCommand(words)
            switch command {
            case .help(nil): return .help
            case .search(let text): return .search(text)
            case .history(let chat, _, _): return .open(chat)
            // It would keep every other command waiting, and there is nobody to wait for it.
            case .wait: return .lines(title: "", [Texts.waitIsForScripts])
            default: break
            }
            switch try await interpreter.run(command) {
            case .locked: return .ended(.locked)
            case .quit: return .ended(.quit)
            case .done(let result):
                switch command {
                case .contactAdd(let jid): return .open(jid)
                case .send, .retry: return .lines(title: "", [Texts.stored])
                default: return .lines(title: title(words), result.textLines)
                }
            }
        } catch {
            guard error.code == .commandUsage else { return .failed(error) }
            return .lines(title: title(words), [error.text] + usage(of: words))
        }
    }

    private func title(_ words: [String]) -> String { "/" + words.prefix(2).joined(separator: " ") }
}
