package import Application
package import Base

/// What the shells do alike: they ask for the passcode, tell events, take lines, and close everything at the end.
package struct LineShell: Sendable {
    let services: any AppServices
    let interpreter: Interpreter
    let input: any LineSource
    let output: any LineSink
    private let secrets: any SecretInput
    private let events = EventQueue()
    private let passcodeDescriptor: Int32?

    /// - Parameters:
    ///   - secrets: asked for the passcode, and by commands.
    ///   - passcodeDescriptor: the one of `--passcode-fd`; nil to ask on the terminal.
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

    /// Reads the passcode and opens its space. Throws what `AppServices.readyToUnlock` and `unlock` do, and
    /// `input.secretRequired`.
    /// - Parameter willTry: the passcode was read; trying it takes a second.
    func unlock(willTry: () async -> Void = {}) async throws(Failure) {
        try await services.readyToUnlock()
        let passcode = try await secrets.read(.passcode, descriptor: passcodeDescriptor)
        await willTry()
        try await services.unlock(passcode: passcode)
    }

    /// Greets, tells events while `commands` runs, then closes everything.
    func serve(
        greet: () async -> Void, tell: @escaping @Sendable ([AppEvent], [JSON]) async -> Void,
        commands: () async -> Void
    ) async {
        let appEvents = await services.events()
        await greet()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await batch in appEvents {
                    let events = batch.compactMap { JSON.event($0) }
                    guard !events.isEmpty else { continue }
                    // Told before a `wait` can answer with it.
                    await tell(batch, events)
                    await self.events.add(events)
                }
            }
            await commands()
            await services.lock()
            group.cancelAll()
        }
    }
}
