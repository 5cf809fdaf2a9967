/// Carries out `SOCKS5Machine` on a connection to a proxy. It reads no byte beyond the proxy's own, so the connection
/// is as new afterwards.
actor SOCKS5Dialogue {
    private let executor: EpollExecutor
    private let socket: SocketHandle
    private let limitMilliseconds: Int64
    private var machine: SOCKS5Machine
    private var outgoing: [UInt8]
    private var watch: EpollExecutor.Watch?
    private var timer: EpollExecutor.Timer?
    private var waiter: CheckedContinuation<NetError?, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(executor: EpollExecutor, socket: SocketHandle, machine: SOCKS5Machine, limitMilliseconds: Int64) {
        self.executor = executor
        self.socket = socket
        self.machine = machine
        self.limitMilliseconds = limitMilliseconds
        outgoing = machine.greeting
    }

    /// To be called once.
    /// - Throws: `net.proxy`, `net.unreachable`, `net.timeout`; what interrupts.
    func run(_ interruption: Interruption) async throws(NetError) {
        let error = await withCheckedContinuation { continuation in
            waiter = continuation
            interruption.attach { [weak self] error in
                self?.assumeIsolated { $0.end(error) }
            }
            if waiter != nil { begin() }
        }
        interruption.detach()
        if let error { throw error }
    }

    private func begin() {
        watch = executor.watch(socket.descriptor, .init(reads: true, writes: true)) { [weak self] readiness in
            self?.assumeIsolated { $0.isReady(readiness) }
        }
        guard watch != nil else { return end(NetError(.netProxy)) }
        timer = executor.schedule(afterMilliseconds: limitMilliseconds) { [weak self] in
            self?.assumeIsolated { $0.end(NetError(.netTimeout)) }
        }
    }

    private func isReady(_ readiness: EpollExecutor.Readiness) {
        if readiness.writable { flush() }
        if readiness.readable, waiter != nil { receive() }
        guard waiter != nil, let watch else { return }
        executor.modify(watch, .init(reads: true, writes: !outgoing.isEmpty))
    }

    private func flush() {
        guard !outgoing.isEmpty else { return }
        switch outgoing.withUnsafeBytes(socket.write) {
        case .done(let count): outgoing.removeFirst(count)
        case .wouldBlock: break
        case .failed: end(NetError(.netProxy))
        }
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: machine.wanted)
        switch buffer.withUnsafeMutableBytes(socket.read) {
        case .done(0), .failed: end(NetError(.netProxy))
        case .done(let count): carryOut(machine.didReceive(Array(buffer[..<count])))
        case .wouldBlock: break
        }
    }

    private func carryOut(_ actions: [SOCKS5Machine.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes): outgoing += bytes
            case .finish: end(nil)
            case .fail(let error): end(error)
            }
        }
    }

    private func end(_ error: NetError?) {
        guard let waiter else { return }
        self.waiter = nil
        watch.map(executor.remove)
        watch = nil
        timer.map(executor.cancel)
        timer = nil
        waiter.resume(returning: error)
    }
}
