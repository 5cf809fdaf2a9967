import Application
import Base
import CommandLine
import Domain

/// Runs what a person types after `/`: the shell's commands, by the shell's interpreter.
struct CommandRunner: Sendable {
    let interpreter: Interpreter

    /// - Parameter line: without the slash.
    func run(_ line: String) async -> CommandAnswer {
        do throws(Failure) {
            let words = try shellWords(line)
            let command = try parseCommand(words)
            switch command {
            case .help(nil): return .help
            case .search(let text): return .search(text)
            case .history(let chat, _, _): return .open(chat)
            default: break
            }
            switch try await interpreter.run(command) {
            case .locked: return .ended(.locked)
            case .quit: return .ended(.quit)
            case .done(let result):
                switch command {
                case .contactAdd(let jid): return .open(jid)
                case .send, .retry: return .lines(title: "", [Texts.stored])
                default: return .lines(title: "/" + words.prefix(2).joined(separator: " "), result.textLines)
                }
            }
        } catch {
            return .failed(error)
        }
    }
}
