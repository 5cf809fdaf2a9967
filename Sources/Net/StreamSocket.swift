/// A byte stream to a server: connects, speaks TLS from the start or from STARTTLS on, sends in order through a
/// bounded queue, hands over what arrives, ends once.
///
/// Life: `open` once → `startTLS` at most once, unless the endpoint was direct TLS → `send`, events → `close`, or an
/// error. It lives on its executor's thread. An actor pinned to the same executor can call it without suspension
/// through `assumeIsolated`, and gets events inside its own isolation by `assumeIsolated` in the handler.
package actor StreamSocket {
    /// What the handler hears, in order, on the executor's thread.
    package enum Event: Sendable, Equatable {
        /// 1 to 16,384 bytes as the server meant them: plain before TLS, decrypted after.
        case received([UInt8])
        /// The last event, once, after a successful `open`. nil when both sides or the server ended the stream
        /// properly (TLS close_notify, or end of stream before TLS); `net.closed` when it was cut off or reset;
        /// `net.timeout` when the server took no bytes for `Limits.stallMilliseconds`; a `tls.` code otherwise.
        case closed(NetError?)
    }
    package typealias Handler = @Sendable (Event) -> Void

    /// Bounds; times in milliseconds, sizes in bytes.
    package struct Limits: Sendable {
        /// All of `open`.
        package var openMilliseconds: Int64 = 30_000
        /// One address: TCP, proxy dialogue.
        package var attemptMilliseconds: Int64 = 10_000
        /// A TLS handshake.
        package var handshakeMilliseconds: Int64 = 15_000
        /// How long the server may leave the send queue unmoved.
        package var stallMilliseconds: Int64 = 60_000
        /// How long `close` waits for the queue to drain and the server's close_notify.
        package var closeMilliseconds: Int64 = 2_000
        /// Bytes waiting to be sent, beyond which `offer` refuses and `send` waits.
        package var sendQueueBytes = 1 << 20
        package init() {}
    }

    /// Where the stream was opened.
    package struct Opened: Sendable, Equatable {
        package let endpoint: Endpoint
        /// Set when the endpoint was direct TLS: the session is up.
        package let tls: TLSDetails?
    }

    private let executor: EpollExecutor
    private let resolver: Resolver
    private let limits: Limits

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter resolver: on the same executor.
    package init(executor: EpollExecutor, resolver: Resolver, limits: Limits = Limits()) {
        self.executor = executor
        self.resolver = resolver
        self.limits = limits
    }

    /// Finds endpoints, tries them in order, and, for direct TLS, makes the handshake. A failed handshake goes on to
    /// the next endpoint; a refused certificate does not. Cancelling the task ends the attempt.
    /// - Parameters:
    ///   - policy: used for direct TLS here, and to be given again to `startTLS`.
    ///   - handler: called on the executor's thread from now until `closed`; it should hold its owner weakly.
    /// - Throws: `net.resolve`, `net.unreachable`, `net.timeout`, `net.proxy`, `net.closed` (cancelled or closed
    ///   meanwhile), `tls.*`.
    package func open(
        _ route: Route, proxy: SOCKS5Proxy? = nil, policy: TLSPolicy, handler: @escaping Handler
    ) async throws(NetError) -> Opened {
        throw NetError(.netUnreachable)
    }

    /// Begins TLS on a plain stream, to be called as soon as the server's `<proceed/>` was read. Fails, and closes,
    /// if so much as one byte came after it: it would be plaintext that somebody slipped in before the handshake
    /// (CVE-2011-0411 and its kin).
    /// - Parameter plaintextConsumed: how many of the bytes received so far belong to what the caller has read, up to
    ///   and with `<proceed/>`. It has to be all of them.
    /// - Throws: `tls.*`, `net.timeout`, `net.closed`. The stream is closed then, and `closed` is still the last event.
    package func startTLS(_ policy: TLSPolicy, plaintextConsumed: Int) async throws(NetError) -> TLSDetails {
        throw NetError(.netClosed)
    }

    /// Queues bytes, whole or not at all. Order of calls is order on the wire.
    /// - Returns: false when the queue has no room for them now; nothing was taken.
    /// - Throws: `net.closed`.
    package func offer(_ bytes: [UInt8]) throws(NetError) -> Bool {
        throw NetError(.netClosed)
    }

    /// Queues bytes, waiting in line while the queue is full. Larger than the queue is allowed: it waits for an empty
    /// one.
    /// - Throws: `net.closed`.
    package func send(_ bytes: [UInt8]) async throws(NetError) {
        throw NetError(.netClosed)
    }

    /// Stops or resumes reading from the network: back-pressure on the server. At most 64 KiB wait meanwhile.
    package func setReading(_ reads: Bool) {}

    /// Sends what is queued, then close_notify, waits for the server's, at most `Limits.closeMilliseconds`, and lets
    /// go of everything. Returns after `closed` was delivered. May be called at any time, any number of times.
    package func close() async {}

    /// Lets go of everything at once; `closed(nil)` is delivered before it returns.
    package func abort() {}
}
