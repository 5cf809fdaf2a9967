package import Application
package import Base
import Synchronization

/// What the shells do alike: they ask for the passcode, tell events, take lines, lock when nobody types, and close
/// everything at the end.
package struct LineShell: Sendable {
    let services: any AppServices
    let interpreter: Interpreter
    let input: any LineSource
    let output: any LineSink
    /// Whether a person types the lines on a terminal.
    let isInteractive: Bool
    /// Milliseconds without a line after which the session locks; nil for never.
    let idleLimit: Int64?
    /// An element locks the session: the desktop was locked, the machine goes to sleep.
    private let lockRequests: AsyncStream<Void>?
    private let secrets: any SecretInput
    private let events = EventQueue()
    private let passcodeDescriptor: Int32?
    private let time: TimeSource
    private let activity: Activity

    /// How a session in lines ended.
    enum End: Sendable, Equatable { case commands, idle, lockWanted }

    /// - Parameters:
    ///   - secrets: asked for the passcode, and by commands.
    ///   - passcodeDescriptor: the one of `--passcode-fd`; nil to ask on the terminal.
    package init(
        services: any AppServices, secrets: any SecretInput, files: any FileOpening, input: any LineSource,
        output: any LineSink, time: TimeSource, passcodeDescriptor: Int32?, isInteractive: Bool = false,
        idleLimit: Int64? = nil, lockRequests: AsyncStream<Void>? = nil
    ) {
        self.services = services
        self.secrets = secrets
        self.input = input
        self.output = output
        self.passcodeDescriptor = passcodeDescriptor
        self.isInteractive = isInteractive
        self.idleLimit = idleLimit
        self.lockRequests = lockRequests
        self.time = time
        activity = Activity(at: time.boottime())
        interpreter = Interpreter(
            services: services, secrets: secrets, files: files, events: events, time: time,
            passcodeDescriptor: passcodeDescriptor,
            confirmation: isInteractive ? LineConfirmation(input: input, output: output) : nil)
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

    /// Somebody typed or sent something.
    func noteActivity() { activity.note(time.boottime()) }

    /// Greets, tells events while `commands` runs, then closes everything. Closes it as well, and cancels `commands`,
    /// when nothing was typed for the limit or a lock is wanted from outside.
    func serve(
        greet: () async -> Void, tell: @escaping @Sendable ([AppEvent], [JSON]) async -> Void,
        commands: @escaping @Sendable () async -> Void
    ) async -> End {
        let appEvents = await services.events()
        noteActivity()
        await greet()
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await batch in appEvents {
                    let events = batch.compactMap { JSON.event($0) }
                    guard !events.isEmpty else { continue }
                    // Told before a `wait` can answer with it.
                    await tell(batch, events)
                    await self.events.add(events)
                }
            }
            let end = await runUntilLock(commands)
            group.cancelAll()
            return end
        }
    }

    private func runUntilLock(_ commands: @escaping @Sendable () async -> Void) async -> End {
        await withTaskGroup(of: End.self) { group in
            group.addTask {
                await commands()
                return .commands
            }
            if let idleLimit {
                group.addTask {
                    await activity.waitForSilence(of: idleLimit, time)
                    return .idle
                }
            }
            if let lockRequests {
                group.addTask {
                    for await _ in lockRequests { return .lockWanted }
                    // Nobody is left to ask for it.
                    while !Task.isCancelled { try? await time.sleep(3_600_000) }
                    return .commands
                }
            }
            let first = await group.next() ?? .commands
            // What is under way ends with it.
            await services.lock()
            group.cancelAll()
            return first
        }
    }
}

/// When something was typed last, by BOOTTIME.
private final class Activity: Sendable {
    private let last: Mutex<Int64>
    init(at moment: Int64) { last = Mutex(moment) }

    func note(_ moment: Int64) { last.withLock { $0 = moment } }

    /// Returns when nothing was noted for so many milliseconds, or when cancelled.
    func waitForSilence(of limit: Int64, _ time: TimeSource) async {
        while true {
            let left = last.withLock { $0 } + limit - time.boottime()
            guard left > 0 else { return }
            // In short steps: a clock that stands still while the machine sleeps would make a long one longer.
            do { try await time.sleep(min(left, 5_000)) } catch { return }
        }
    }
}

/// Says what will happen, and reads the word that lets it.
private struct LineConfirmation: ConfirmationInput {
    let input: any LineSource
    let output: any LineSink

    func confirm(_ consequence: FailureDetail.Consequence) async throws(Failure) {
        await output.write(lines: [Array(consequence.text.utf8), Array(consequence.question.utf8)])
        let line = await input.next()
        if case .line(let text) = line, (try? shellWords(text)) == [consequence.word] { return }
        switch line {
        // The cursor stands behind what the terminal shows for the key.
        case .interrupt, .suspend: await output.write([])
        case .line, .tooLong, .notUTF8, .end: break
        }
        throw Failure(.inputCancelled)
    }
}
