internal import CPlatform

/// A byte stream to a server: connects, speaks TLS from the start or from STARTTLS on, sends in order through a
/// bounded queue, hands over what arrives, ends once.
///
/// Life: `open` once → `startTLS` at most once, unless the endpoint was direct TLS → `send`, events → `close`, or an
/// error. It lives on its executor's thread. An actor pinned to the same executor can call it without suspension
/// through `assumeIsolated`, and gets events inside its own isolation by `assumeIsolated` in the handler.
package actor StreamSocket {
    /// What the handler hears, in order, on the executor's thread.
    package enum Event: Sendable, Equatable {
        /// 1 to 16,384 bytes as the server meant them: plain before TLS, decrypted after. They may come before the
        /// call that opened the stream or started TLS has returned.
        case received([UInt8])
        /// The last event, once, after a successful `open`. nil when this side ended the stream, or the server did so
        /// properly (TLS close_notify, or end of stream before TLS); `net.closed` when it was cut off or reset;
        /// `net.timeout` when the server took no bytes for `Limits.stallMilliseconds`; a `tls.` code otherwise.
        case closed(NetError?)
    }
    /// Called on the executor's thread, once an event.
    package typealias Handler = @Sendable (Event) -> Void

    /// Bounds; times in milliseconds, sizes in bytes.
    package struct Limits: Sendable {
        /// All of `open`.
        package var openMilliseconds: Int64 = 30_000
        /// One address to connect, the proxy to answer.
        package var attemptMilliseconds: Int64 = 10_000
        /// A TLS handshake.
        package var handshakeMilliseconds: Int64 = 15_000
        /// How long the server may leave the send queue unmoved.
        package var stallMilliseconds: Int64 = 60_000
        /// How long `close` waits for the queue to drain and the server's own end.
        package var closeMilliseconds: Int64 = 2_000
        /// Bytes waiting to be sent (as they go on the wire), beyond which `offer` refuses and `send` waits.
        package var sendQueueBytes = 1 << 20
        package init() {}
    }

    /// Where the stream was opened.
    package struct Opened: Sendable, Equatable {
        package let endpoint: Endpoint
        /// Set when the endpoint was direct TLS: the session is up.
        package let tls: TLSDetails?
    }

    enum Phase {
        case idle
        case opening(Interruption)
        case open
        /// Nothing more is taken to be sent; what the server still says is delivered.
        case closing
        case closed
    }

    /// A call of `send` that waits for room.
    struct Waiter {
        let id: UInt64
        let bytes: [UInt8]
        let continuation: CheckedContinuation<NetError?, Never>
    }

    let executor: EpollExecutor
    let limits: Limits
    private let connector: Connector

    var phase = Phase.idle
    var handler: Handler?
    var socket: SocketHandle?
    var watch: EpollExecutor.Watch?
    var interest = EpollExecutor.Interest(reads: true, writes: false)
    var engine: TLSEngine?
    var queue: SendQueue
    var waiters: [Waiter] = []
    var isAdmitting = false
    var handshakeWaiter: CheckedContinuation<NetError?, Never>?
    var closeWaiters: [CheckedContinuation<Void, Never>] = []
    var isReading = true
    /// What the caller was given before TLS.
    var deliveredPlaintext = 0
    /// CLOCK_MONOTONIC of the last byte that the kernel took, or of the queue's first byte.
    var lastProgress: Int64 = 0
    var stallTimer: EpollExecutor.Timer?
    var closeTimer: EpollExecutor.Timer?
    private var nextWaiter: UInt64 = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter resolver: on the same executor.
    package init(executor: EpollExecutor, resolver: Resolver, limits: Limits = Limits()) {
        self.executor = executor
        self.limits = limits
        queue = SendQueue(limit: limits.sendQueueBytes)
        connector = Connector(
            executor: executor, resolver: resolver, attemptMilliseconds: limits.attemptMilliseconds)
    }

    deinit {
        // The watch goes before the descriptor it is about, and only its own thread may take it away.
        guard let watch else { return }
        executor.schedule(afterMilliseconds: 0) { [executor, socket] in
            executor.remove(watch)
            withExtendedLifetime(socket) {}
        }
    }

    /// Finds endpoints, tries them in order, and, for direct TLS, makes the handshake. A failed handshake goes on to
    /// the next endpoint; a refused certificate does not. Cancelling the task ends the attempt.
    /// - Parameters:
    ///   - policy: used for direct TLS here, and to be given again to `startTLS`.
    ///   - handler: called on the executor's thread from now until `closed`; it should hold its owner weakly.
    /// - Throws: `net.resolve`, `net.unreachable`, `net.timeout`, `net.proxy`, `net.closed` (cancelled, closed
    ///   meanwhile, or opened before), `tls.*`. No event follows then.
    package func open(
        _ route: Route, proxy: SOCKS5Proxy? = nil, policy: TLSPolicy, handler: @escaping Handler
    ) async throws(NetError) -> Opened {
        guard case .idle = phase else { throw NetError(.netClosed) }
        let interruption = Interruption()
        phase = .opening(interruption)
        let timer = executor.schedule(afterMilliseconds: limits.openMilliseconds) {
            interruption.interrupt(NetError(.netTimeout))
        }
        defer { executor.cancel(timer) }
        let result: Result<Opened, NetError> = await withTaskCancellationHandler {
            do throws(NetError) {
                return .success(try await tryEndpoints(route, proxy, policy, handler, interruption))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            executor.perform { interruption.interrupt(NetError(.netClosed)) }
        }
        if case .failure = result {
            release()
            phase = .closed
            resumeCloseWaiters()
        }
        return try result.get()
    }

    /// Begins TLS on a plain stream, to be called as soon as the server's `<proceed/>` was read. Fails, and closes,
    /// if so much as one byte came after it: it would be plaintext that somebody slipped in before the handshake
    /// (CVE-2011-0411 and its kin).
    /// - Parameter plaintextConsumed: how many of the bytes received so far belong to what the caller has read, up to
    ///   and with `<proceed/>`. It has to be all of them.
    /// - Throws: `tls.*`, `net.timeout`, `net.closed`. The stream is closed then, and `closed` is still the last event.
    package func startTLS(_ policy: TLSPolicy, plaintextConsumed: Int) async throws(NetError) -> TLSDetails {
        guard case .open = phase, engine == nil, let socket else { throw NetError(.netClosed) }
        guard plaintextConsumed == deliveredPlaintext, !socket.hasUnread else {
            finish(NetError(.tlsFailed))
            throw NetError(.tlsFailed)
        }
        do throws(NetError) {
            let details = try await shakeHands(policy, protocols: [], nil)
            admitWaiters()
            return details
        } catch {
            finish(error)
            throw error
        }
    }

    /// Queues bytes, whole or not at all. Order of calls is order on the wire.
    /// - Returns: false when the queue has no room for them now, or others wait; nothing was taken.
    /// - Throws: `net.closed`.
    package func offer(_ bytes: [UInt8]) throws(NetError) -> Bool {
        guard case .open = phase, handshakeWaiter == nil else { throw NetError(.netClosed) }
        guard waiters.isEmpty, queue.hasRoom(for: bytes.count) else { return false }
        enqueue(bytes)
        guard case .open = phase else { throw NetError(.netClosed) }
        return true
    }

    /// Queues bytes, waiting in line while the queue is full. More than the queue holds is allowed: it waits for an
    /// empty one. A cancelled call that still waits sends nothing.
    /// - Throws: `net.closed`.
    package func send(_ bytes: [UInt8]) async throws(NetError) {
        if try offer(bytes) { return }
        nextWaiter += 1
        let id = nextWaiter
        let error: NetError? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: NetError(.netClosed)) }
                waiters.append(Waiter(id: id, bytes: bytes, continuation: continuation))
            }
        } onCancel: {
            executor.perform { [weak self] in self?.assumeIsolated { $0.dropWaiter(id) } }
        }
        if let error { throw error }
    }

    /// Stops or resumes reading from the network: back-pressure on the server. At most 64 KiB wait meanwhile.
    package func setReading(_ reads: Bool) {
        guard isReading != reads else { return }
        isReading = reads
        updateInterest()
        if reads { deliverSoon() }
    }

    /// Sends what is queued, ends the stream, waits for the server's end, at most `Limits.closeMilliseconds`, and lets
    /// go of everything. Returns after `closed` was delivered. May be called at any time, any number of times.
    package func close() async {
        switch phase {
        case .idle: phase = .closed
        case .closed: return
        case .opening(let interruption):
            await withCheckedContinuation { continuation in
                closeWaiters.append(continuation)
                interruption.interrupt(NetError(.netClosed))
            }
        case .open, .closing:
            await withCheckedContinuation { continuation in
                closeWaiters.append(continuation)
                beginClosing()
            }
        }
    }

    /// Facts about the TLS session; nil while there is none.
    package var tls: TLSDetails? { engine?.details }
}

// Opening.
extension StreamSocket {
    private func tryEndpoints(
        _ route: Route, _ proxy: SOCKS5Proxy?, _ policy: TLSPolicy, _ handler: @escaping Handler,
        _ interruption: Interruption
    ) async throws(NetError) -> Opened {
        var failure = NetError(.netResolve)
        for endpoint in try await connector.endpoints(route, isProxied: proxy != nil, interruption) {
            do throws(NetError) {
                try interruption.check()
                try adopt(try await connector.connect(to: endpoint, proxy: proxy, interruption))
                let tls =
                    endpoint.directTLS
                    ? try await shakeHands(policy, protocols: ["xmpp-client"], interruption) : nil
                try interruption.check()
                phase = .open
                self.handler = handler
                updateInterest()
                deliverSoon()
                return Opened(endpoint: endpoint, tls: tls)
            } catch {
                release()
                try interruption.check()
                if error.isCertificateRefusal || error.code == .tlsAuthorityFile { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func adopt(_ socket: SocketHandle) throws(NetError) {
        self.socket = socket
        guard watchSocket(.init(reads: false, writes: false)) else { throw NetError(.netUnreachable) }
    }

    /// Makes the handshake on the connected socket.
    /// - Parameter interruption: of `open`; nil for STARTTLS.
    private func shakeHands(
        _ policy: TLSPolicy, protocols: [String], _ interruption: Interruption?
    ) async throws(NetError) -> TLSDetails {
        let engine = try TLSEngine(policy: policy, protocols: protocols)
        self.engine = engine
        let timer = executor.schedule(afterMilliseconds: limits.handshakeMilliseconds) { [weak self] in
            self?.assumeIsolated { $0.handshakeDidEnd(NetError(.netTimeout)) }
        }
        defer { executor.cancel(timer) }
        let error: NetError? = await withCheckedContinuation { continuation in
            handshakeWaiter = continuation
            interruption?.attach { [weak self] error in self?.assumeIsolated { $0.handshakeDidEnd(error) } }
            updateInterest()
            advanceHandshake()
        }
        interruption?.detach()
        if let error { throw error }
        guard let details = engine.details else { throw NetError(.tlsFailed) }
        return details
    }

    private func dropWaiter(_ id: UInt64) {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: index).continuation.resume(returning: NetError(.netClosed))
    }
}
