package import Application
package import Base

/// The session in JSON lines (DESIGN section 11): one command a line, one answer a command, events between.
package struct JSONShell: Sendable {
    private let services: any AppServices
    private let secrets: any SecretInput
    private let interpreter: Interpreter
    private let events: EventQueue
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
        events = EventQueue()
        interpreter = Interpreter(
            services: services, secrets: secrets, files: files, events: events, time: time,
            passcodeDescriptor: passcodeDescriptor, progress: { _, _ in })
    }

    /// The first line of every JSON session, also of one that ends in an error at once.
    package static func readyLine(version: String) -> [UInt8] {
        JSON.members(["event": .string("ready"), "version": .string(version)]).line
    }

    /// Unlocks and serves commands until `lock`, `quit`, or the end of input. Returns the program's exit code.
    package func run() async -> Int32 {
        do throws(Failure) {
            try await services.readyToUnlock()
            let passcode = try await secrets.read(.passcode, descriptor: passcodeDescriptor)
            try await services.unlock(passcode: passcode)
        } catch {
            await output.write(JSON.failure(error, id: 0).line)
            return error.code.exitCode
        }
        let appEvents = await services.events()
        await output.write(JSON.members(["event": .string("unlocked")]).line)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await forward(appEvents) }
            await serve()
            await services.lock()
            group.cancelAll()
        }
        return 0
    }

    private func forward(_ appEvents: AsyncStream<AppEvent>) async {
        for await event in appEvents {
            guard let json = JSON.event(event) else { continue }
            // Written before a `wait` can answer with it.
            await output.write(json.line)
            await events.add(json)
        }
    }

    private func serve() async {
        var id = 0
        while true {
            let words: Result<[String], Failure>
            switch await input.next() {
            case .end: return
            case .tooLong: words = .failure(Failure(.commandTooLong))
            case .notUTF8: words = .failure(Failure(.inputInvalid))
            case .line(let line):
                if line.unicodeScalars.allSatisfy({ [" ", "\t", "\r"].contains($0) }) || line.hasPrefix("#") {
                    continue
                }
                words = Result { () throws(Failure) in try shellWords(line) }
            }
            id += 1
            guard await answer(words, id: id) else { return }
        }
    }

    /// False where the session is to end.
    private func answer(_ words: Result<[String], Failure>, id: Int) async -> Bool {
        do throws(Failure) {
            switch try await interpreter.run(try parseCommand(try words.get())) {
            case .done(let result): return await output.write(JSON.success(result, id: id).line)
            case .locked, .quit:
                await services.lock()
                await output.write(JSON.success(.object([]), id: id).line)
                return false
            }
        } catch {
            return await output.write(JSON.failure(error, id: id).line)
        }
    }
}
