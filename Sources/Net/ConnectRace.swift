/// Carries out `HappyEyeballsMachine` for one host: connects to its addresses, gives the first connection, drops the
/// others.
actor ConnectRace {
    private struct Attempt {
        let socket: SocketHandle
        let watch: EpollExecutor.Watch
        let timer: EpollExecutor.Timer
    }

    private let executor: EpollExecutor
    private let port: UInt16
    private let attemptMilliseconds: Int64
    private var machine: HappyEyeballsMachine
    private var attempts: [Int: Attempt] = [:]
    private var stagger: EpollExecutor.Timer?
    private var waiter: CheckedContinuation<Result<SocketHandle, NetError>, Never>?
    private var hasTimedOut = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter attemptMilliseconds: how long one address may take.
    init(executor: EpollExecutor, addresses: [IPAddress], port: UInt16, attemptMilliseconds: Int64) {
        self.executor = executor
        self.port = port
        self.attemptMilliseconds = attemptMilliseconds
        machine = HappyEyeballsMachine(addresses)
    }

    /// To be called once.
    /// - Throws: `net.timeout` if one of the addresses did not answer and none took the connection; `net.unreachable`
    ///   if all refused; what interrupts.
    func run(_ interruption: Interruption) async throws(NetError) -> SocketHandle {
        let result = await withCheckedContinuation { continuation in
            waiter = continuation
            interruption.attach { [weak self] error in
                self?.assumeIsolated { $0.end(.failure(error)) }
            }
            if waiter != nil { carryOut(machine.didStart()) }
        }
        interruption.detach()
        return try result.get()
    }

    private func carryOut(_ actions: [HappyEyeballsMachine.Action]) {
        for action in actions {
            switch action {
            case .attempt(let index): begin(index)
            case .armTimer: armStagger()
            case .finish(let index): attempts[index].map { end(.success($0.socket)) }
            case .fail: end(.failure(NetError(hasTimedOut ? .netTimeout : .netUnreachable)))
            }
        }
    }

    private func begin(_ index: Int) {
        guard waiter != nil else { return }
        guard let socket = SocketHandle.connecting(to: machine.addresses[index], port: port),
            let watch = executor.watch(
                socket.descriptor, .init(reads: false, writes: true),
                handler: { [weak self] _ in self?.assumeIsolated { $0.attemptIsDecided(index) } })
        else { return failLater(index) }
        let timer = executor.schedule(afterMilliseconds: attemptMilliseconds) { [weak self] in
            self?.assumeIsolated { $0.attemptTimedOut(index) }
        }
        attempts[index] = Attempt(socket: socket, watch: watch, timer: timer)
    }

    /// A refusal on the spot is told after the machine's own actions are through.
    private func failLater(_ index: Int) {
        executor.schedule(afterMilliseconds: 0) { [weak self] in
            self?.assumeIsolated { $0.carryOut($0.machine.didFail(index)) }
        }
    }

    private func attemptIsDecided(_ index: Int) {
        guard let attempt = attempts[index] else { return }
        if attempt.socket.connectError == 0 {
            carryOut(machine.didConnect(index))
        } else {
            drop(index)
            carryOut(machine.didFail(index))
        }
    }

    private func attemptTimedOut(_ index: Int) {
        hasTimedOut = true
        drop(index)
        carryOut(machine.didFail(index))
    }

    private func armStagger() {
        stagger.map(executor.cancel)
        stagger = executor.schedule(afterMilliseconds: HappyEyeballsMachine.staggerMilliseconds) { [weak self] in
            self?.assumeIsolated { $0.carryOut($0.machine.timerDidFire()) }
        }
    }

    private func drop(_ index: Int) {
        guard let attempt = attempts.removeValue(forKey: index) else { return }
        executor.remove(attempt.watch)
        executor.cancel(attempt.timer)
    }

    private func end(_ result: Result<SocketHandle, NetError>) {
        guard let waiter else { return }
        self.waiter = nil
        for index in Array(attempts.keys) { drop(index) }
        stagger.map(executor.cancel)
        stagger = nil
        waiter.resume(returning: result)
    }
}
