package import Base
package import Domain

/// Keeps a profile connected once a person asked for it: carries out what `ReconnectMachine` decides.
package actor ConnectionKeeper {
    /// How long a person waits for an answer to `connect`.
    package static let answerMilliseconds: Int64 = 30_000

    private let link: any LinkPort
    private let registry: TaskRegistry
    private let time: TimeSource
    private let jitter: @Sendable () -> Jitter
    private let account: @Sendable () async throws(Failure) -> LinkAccount
    private let log: Log
    private let didChange: @Sendable (ConnectionState, ErrorCode?) -> Void
    private let willOpen: @Sendable () async -> Int
    private let didOpen: @Sendable (LinkSummary, Int) async -> Void

    private var machine = ReconnectMachine()
    private var sink: (any LinkSink)?
    private var summary: LinkSummary?
    private var reported: (ConnectionState, ErrorCode?) = (.offline, nil)
    private var waiters: [Int: CheckedContinuation<Failure?, Never>] = [:]
    private var nextWaiter = 0
    private var isClosed = false
    /// Grows with each attempt, so that one that was called off does not speak for the next.
    private var attempt = 0
    private let attempts = SerialGate()
    private let endings = SerialGate()

    /// - Parameters:
    ///   - account: what to sign in with, read anew for each attempt.
    ///   - didChange: what a person sees has changed.
    ///   - willOpen: a stream is about to be opened; nothing has been received on it. Its answer goes to `didOpen`.
    ///   - didOpen: a stream is open; runs as a task of the registry.
    package init(
        link: any LinkPort, registry: TaskRegistry, time: TimeSource, jitter: @escaping @Sendable () -> Jitter,
        log: Log, account: @escaping @Sendable () async throws(Failure) -> LinkAccount,
        didChange: @escaping @Sendable (ConnectionState, ErrorCode?) -> Void,
        willOpen: @escaping @Sendable () async -> Int, didOpen: @escaping @Sendable (LinkSummary, Int) async -> Void
    ) {
        self.link = link
        self.registry = registry
        self.time = time
        self.jitter = jitter
        self.log = log.area("connection")
        self.account = account
        self.didChange = didChange
        self.willOpen = willOpen
        self.didOpen = didOpen
    }

    /// Where received things go; before the first `connect`.
    package func use(_ sink: any LinkSink) { self.sink = sink }

    package var state: (connection: ConnectionState, code: ErrorCode?, link: LinkSummary?) {
        let (connection, code) = view
        return (connection, code, connection == .online ? summary : nil)
    }

    /// Answers when online, or throws why not, within 30 s. Trying goes on afterwards where that makes sense.
    package func connect() async throws(Failure) {
        guard !isClosed else { throw Failure(.sessionEnded) }
        run(.didRequestConnect)
        if case .online = machine.state { return }
        let number = nextWaiter
        nextWaiter += 1
        let deadline = registry.start("connect deadline") { [time] in
            guard (try? await time.sleep(Self.answerMilliseconds)) != nil else { return }
            await self.answer(number, Failure(.netTimeout))
        }
        let failure: Failure? = await withCheckedContinuation { waiters[number] = $0 }
        if let deadline { registry.cancel(deadline) }
        if let failure { throw failure }
    }

    /// Ends the stream in order and stops trying.
    package func disconnect() async {
        let actions = machine.handle(.didRequestDisconnect)
        report()
        answerAll(Failure(.netOffline))
        if actions.contains(.disconnect) { await endStream() }
    }

    /// As `disconnect`, for good.
    package func close() async {
        isClosed = true
        await disconnect()
        answerAll(Failure(.sessionEnded))
    }

    /// The stream ended by itself.
    package func streamDidEnd(_ failure: Failure?) { run(failed(failure)) }

    // MARK: Carrying out

    private func run(_ input: ReconnectMachine.Input) {
        let actions = machine.handle(input)
        report()
        switch machine.state {
        case .online: answerAll(nil)
        case .waiting(_, let code), .stopped(let code): answerAll(Failure(code))
        case .offline, .connecting: break
        }
        for action in actions {
            switch action {
            case .connect:
                attempt += 1
                let number = attempt
                registry.start("connect") { await self.attempt(number) }
            case .disconnect: registry.start("disconnect") { await self.endStream() }
            case .wait(let until): wait(until)
            }
        }
    }

    /// The link has one stream at a time: an attempt begins when the one before has returned and its stream has ended.
    private func attempt(_ number: Int) async {
        await attempts.enter()
        defer { attempts.leave() }
        await endings.enter()
        endings.leave()
        guard let sink, isCurrent(number) else { return }
        let opening = await willOpen()
        do {
            let summary = try await link.connect(try await account(), sink: sink)
            guard isCurrent(number) else {
                // Called off, or ended already, while it was under way.
                if machine.state == .offline || isClosed { await endStream() }
                return
            }
            self.summary = summary
            run(.didConnect(at: time.now()))
            log.info("online", ["resumed": summary.isResumed])
            registry.start("stream start") { [didOpen] in await didOpen(summary, opening) }
        } catch {
            if isCurrent(number) { run(failed(error)) }
        }
    }

    private func isCurrent(_ number: Int) -> Bool { number == attempt && machine.state == .connecting && !isClosed }

    private func endStream() async {
        await endings.enter()
        await link.disconnect()
        endings.leave()
    }

    private func failed(_ failure: Failure?) -> ReconnectMachine.Input {
        .didFail(
            failure?.code, retryAfterMilliseconds: failure?.retryAfterMilliseconds, at: time.now(), jitter: jitter())
    }

    private func wait(_ until: Timestamp) {
        registry.start("reconnect timer") { [time] in
            let delay = min(until.milliseconds - time.now().milliseconds, Backoff.connection.capMilliseconds)
            guard (try? await time.sleep(max(delay, 1))) != nil else { return }
            // By the time slept, so that a clock set back does not hold it up.
            await self.reachedTime(until)
        }
    }

    private func reachedTime(_ moment: Timestamp) {
        guard case .waiting(let until, _) = machine.state, until == moment else { return }
        run(.didReachTime(moment))
    }

    private func answer(_ number: Int, _ failure: Failure?) {
        waiters.removeValue(forKey: number)?.resume(returning: failure)
    }

    private func answerAll(_ failure: Failure?) {
        let answered = waiters
        waiters = [:]
        for (_, waiter) in answered { waiter.resume(returning: failure) }
    }

    private var view: (ConnectionState, ErrorCode?) {
        switch machine.state {
        case .offline: (.offline, nil)
        case .connecting: (.connecting, nil)
        case .online: (.online, nil)
        case .waiting(_, let code): (.waiting, code)
        case .stopped(let code): (.offline, code)
        }
    }

    private func report() {
        let now = view
        guard now != reported else { return }
        reported = now
        didChange(now.0, now.1)
    }
}
