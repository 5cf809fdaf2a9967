import Application
import Base

/// The session in plain lines, for screen readers and simple terminals: the same commands, answers in words.
package struct TextShell: Sendable {
    private let shell: LineShell

    package init(_ shell: LineShell) { self.shell = shell }

    /// Unlocks and serves commands until `lock`, `quit`, or the end of input. Returns the program's exit code.
    package func run() async -> Int32 {
        do throws(Failure) {
            try await shell.unlock { await tell("Checking the passcode ...") }
        } catch {
            await tell(error.text)
            return error.code.exitCode
        }
        let end = await shell.serve(
            greet: { await tell("Unlocked. Type help for the commands, quit to leave.") },
            tell: { events, _ in for event in events { if let line = event.line { await tell(line) } } },
            commands: serve)
        switch end {
        case .commands where !shell.isInteractive: break
        case .commands, .lockWanted: await tell("Locked.")
        case .idle: await tell("Locked: nothing was typed for \((shell.idleLimit ?? 0) / 60_000) min.")
        }
        return 0
    }

    // MARK: Lines and commands

    private enum Happening: Sendable {
        case read(InputLine)
        /// A command has ended; whether the session goes on.
        case ended(goesOn: Bool)
    }

    /// On a terminal, lines are read while a command runs, so that Ctrl-C and Ctrl-Z reach the session at once; never
    /// beside a command that asks something there itself.
    private func serve() async {
        await withTaskGroup(of: Happening.self) { group in
            var isReading = false
            var isRunning = false
            // Typed while a command ran.
            var waiting: InputLine?

            /// Whether the session goes on.
            func begin(_ line: InputLine) async -> Bool {
                switch await take(line) {
                case .leave: return false
                case .nothing: break
                case .command(let command):
                    isRunning = true
                    group.addTask { .ended(goesOn: await run(command)) }
                    if command.mayAsk || !shell.isInteractive { return true }
                }
                if !isReading {
                    isReading = true
                    group.addTask { .read(await shell.input.next()) }
                }
                return true
            }

            var goesOn = await begin(.line(""))
            while goesOn, let happening = await group.next() {
                switch happening {
                case .read(let line):
                    isReading = false
                    shell.noteActivity()
                    if isRunning, !line.endsSession {
                        waiting = line
                    } else {
                        goesOn = await begin(line)
                    }
                case .ended(goesOn: false):
                    isRunning = false
                    goesOn = false
                case .ended(goesOn: true):
                    isRunning = false
                    let line = waiting ?? .line("")
                    waiting = nil
                    goesOn = await begin(line)
                }
            }
            // What still runs ends with it.
            if isRunning { await shell.services.lock() }
            group.cancelAll()
        }
    }

    private enum Step { case nothing, leave, command(Command) }

    private func take(_ line: InputLine) async -> Step {
        var words: [String] = []
        do throws(Failure) {
            switch line {
            case .end: return .leave
            case .interrupt(isEmpty: false):
                // The cursor stands behind what the terminal shows for the key.
                await tell("")
                return .nothing
            case .interrupt(isEmpty: true), .suspend:
                await tell("")
                return .leave
            case .tooLong: throw Failure(.commandTooLong)
            case .notUTF8: throw Failure(.inputInvalid)
            case .line(let line):
                if line.hasPrefix("#") { return .nothing }
                words = try shellWords(line)
                return words.isEmpty ? .nothing : .command(try parseCommand(words))
            }
        } catch {
            await tell(error.text)
            if error.code == .commandUsage { for line in usage(of: words) { await tell("  " + line) } }
            return .nothing
        }
    }

    /// Whether the session goes on.
    private func run(_ command: Command) async -> Bool {
        do throws(Failure) {
            let outcome: CommandResult = try await withProgressLines(
                to: shell.output, heading: "Filling the new part with random bytes ..."
            ) { report in
                await result { () async throws(Failure) in
                    try await shell.interpreter.run(command, progress: report)
                }
            }
            switch outcome {
            case .done(let result):
                for line in result.textLines { await tell(line) }
                if let earlier = result.earlier(than: command) { await tell(earlier) }
            case .locked, .quit: return false
            }
        } catch {
            await tell(error.text)
        }
        return true
    }

    private func tell(_ text: String) async { await shell.output.write(Array(text.utf8)) }
}

extension InputLine {
    /// Whether it ends the session also while a command runs.
    fileprivate var endsSession: Bool {
        switch self {
        case .interrupt, .suspend: true
        case .line, .tooLong, .notUTF8, .end: false
        }
    }
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
