import Application
import Base
import CommandLine
import Domain
import Synchronization

/// Runs what a person types after `/`: the shell's commands, by the shell's interpreter.
struct CommandRunner: Sendable {
    let interpreter: Interpreter

    /// - Parameters:
    ///   - line: without the slash.
    ///   - progress: told about long work, once a percent: bytes done, and of how many.
    func run(
        _ line: String, progress: @escaping @Sendable (_ done: Int64, _ of: Int64) -> Void
    ) async -> CommandAnswer {
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
            switch try await interpreter.run(command, progress: oncePerPercent(progress)) {
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

/// Leaves out what the screen would not show.
private func oncePerPercent(
    _ progress: @escaping @Sendable (Int64, Int64) -> Void
) -> @Sendable (Int64, Int64) -> Void {
    let last = LastPercent()
    return { done, whole in if last.isNew(whole > 0 ? done * 100 / whole : 0) { progress(done, whole) } }
}

private final class LastPercent: Sendable {
    private let percent = Mutex<Int64>(-1)

    func isNew(_ percent: Int64) -> Bool {
        self.percent.withLock { last in
            defer { last = max(last, percent) }
            return percent > last
        }
    }
}
