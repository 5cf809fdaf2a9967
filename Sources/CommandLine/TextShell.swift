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
            tell: { event, _ in if let line = event.line { await tell(line) } },
            commands: { while await serveOne() {} })
        return 0
    }

    private func serveOne() async -> Bool {
        do throws(Failure) {
            switch await shell.input.next() {
            case .end: return false
            case .tooLong: throw Failure(.commandTooLong)
            case .notUTF8: throw Failure(.inputInvalid)
            case .line(let line):
                let words = try shellWords(line)
                if words.isEmpty || line.hasPrefix("#") { return true }
                switch try await shell.interpreter.run(try parseCommand(words)) {
                case .done(let result): for line in result.textLines { await tell(line) }
                case .locked, .quit: return false
                }
            }
        } catch {
            await tell(error.text)
        }
        return true
    }

    private func tell(_ text: String) async { await shell.output.write(Array(text.utf8)) }
}
