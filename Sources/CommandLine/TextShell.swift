package import Application
package import Base

/// The session in plain lines, for screen readers and simple terminals: the same commands, answers in words.
package struct TextShell: Sendable {
    private let services: any AppServices
    private let secrets: any SecretInput
    private let interpreter: Interpreter
    private let events = EventQueue()
    private let input: any LineSource
    private let output: any LineSink
    private let passcodeDescriptor: Int32?

    package init(
        services: any AppServices, secrets: any SecretInput, files: any FileOpening, input: any LineSource,
        output: any LineSink, time: TimeSource, passcodeDescriptor: Int32?
    ) {
        self.services = services
        self.secrets = secrets
        self.input = input
        self.output = output
        self.passcodeDescriptor = passcodeDescriptor
        interpreter = Interpreter(
            services: services, secrets: secrets, files: files, events: events, time: time,
            passcodeDescriptor: passcodeDescriptor, progress: { _, _ in })
    }

    /// Unlocks and serves commands until `lock`, `quit`, or the end of input. Returns the program's exit code.
    package func run() async -> Int32 {
        do throws(Failure) {
            try await services.readyToUnlock()
            let passcode = try await secrets.read(.passcode, descriptor: passcodeDescriptor)
            await tell("Checking the passcode …")
            try await services.unlock(passcode: passcode)
        } catch {
            await tell(error.text)
            return error.code.exitCode
        }
        await tell("Unlocked. Type help for the commands, quit to leave.")
        let appEvents = await services.events()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await forward(appEvents) }
            while await serveOne() {}
            await services.lock()
            group.cancelAll()
        }
        return 0
    }

    private func forward(_ appEvents: AsyncStream<AppEvent>) async {
        for await event in appEvents {
            guard let json = JSON.event(event) else { continue }
            if let line = event.line { await tell(line) }
            await events.add(json)
        }
    }

    private func serveOne() async -> Bool {
        do throws(Failure) {
            switch await input.next() {
            case .end: return false
            case .tooLong: throw Failure(.commandTooLong)
            case .notUTF8: throw Failure(.inputInvalid)
            case .line(let line):
                let words = try shellWords(line)
                if words.isEmpty || line.hasPrefix("#") { return true }
                switch try await interpreter.run(try parseCommand(words)) {
                case .done(let result): for line in result.textLines { await tell(line) }
                case .locked, .quit: return false
                }
            }
        } catch {
            await tell(error.text)
        }
        return true
    }

    private func tell(_ text: String) async { await output.write(Array(text.utf8)) }
}
