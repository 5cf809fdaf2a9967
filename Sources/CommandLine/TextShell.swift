import Application
import Base

/// The session in plain lines, for screen readers and simple terminals: the same commands, answers in words.
package struct TextShell: Sendable {
    private let shell: LineShell

    package init(_ shell: LineShell) { self.shell = shell }

    /// Unlocks and serves commands until `lock`, `quit`, or the end of input. Returns the program's exit code.
    package func run() async -> Int32 {
        do throws(Failure) {
            try await shell.unlock { await tell("Checking the passcode …") }
        } catch {
            await tell(error.text)
            return error.code.exitCode
        }
        await shell.serve(
            greet: { await tell("Unlocked. Type help for the commands, quit to leave.") },
            tell: { events, _ in for event in events { if let line = event.line { await tell(line) } } },
            commands: { while await serveOne() {} })
        return 0
    }

    private func serveOne() async -> Bool {
        var words: [String] = []
        do throws(Failure) {
            switch await shell.input.next() {
            case .end: return false
            case .tooLong: throw Failure(.commandTooLong)
            case .notUTF8: throw Failure(.inputInvalid)
            case .line(let line):
                words = try shellWords(line)
                if words.isEmpty || line.hasPrefix("#") { return true }
                let command = try parseCommand(words)
                switch try await shell.interpreter.run(command) {
                case .done(let result):
                    for line in result.textLines { await tell(line) }
                    if let earlier = result.earlier(than: command) { await tell(earlier) }
                case .locked, .quit: return false
                }
            }
        } catch {
            await tell(error.text)
            if error.code == .commandUsage { for line in usage(of: words) { await tell("  " + line) } }
        }
        return true
    }

    private func tell(_ text: String) async { await shell.output.write(Array(text.utf8)) }
}

extension JSON {
    /// How to go on reading backwards, where a page of history came full.
    fileprivate func earlier(than command: Command) -> String? {
        guard case .history(let chat, let limit, _) = command, case .array(let messages) = self["messages"],
            messages.count == limit, case .string(let id) = messages.first?["id"]
        else { return nil }
        return "Earlier ones: history \(chat.addressText) --before \(id)"
    }
}
