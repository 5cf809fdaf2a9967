import Application
import Base
import Domain
import Net
import XMPP

/// A stream from its socket's first attempt to the last event handed over. Only `XMPPLink` touches it, on its thread.
final class OpenStream {
    /// Tells streams apart in calls that come later.
    let number: UInt64
    let account: JID
    let socket: StreamSocket
    let sink: any LinkSink
    var policy: TLSPolicy?
    var tls: TLSDetails?
    var isConnected = false
    var authentication: AuthenticationSummary?
    var ready: StreamReady?
    /// Nothing is sent or read any more.
    var hasEnded = false
    var failure: Failure?
    /// Bytes that came before the stream was there to read them, and how many came in all.
    var early: [[UInt8]] = []
    var received = 0
    /// Bytes that the socket's queue had no room for, in order.
    var overflow: [[UInt8]] = []
    var isFlushing = false
    /// Messages sent on a stream without management, whose ping is not answered yet.
    var unmanaged: [MessageID] = []
    var pump = InboundPump()
    var isPumping = false
    /// When something was last heard, on the boot clock.
    var lastHeard: Int64 = 0
    var endWaiters: [CheckedContinuation<Void, Never>] = []
    /// Calls of `submit` that wait until the server has acknowledged enough.
    var roomWaiters: [CheckedContinuation<Void, Never>] = []
    private var readyResult: Result<Void, Failure>?
    private var readyWaiter: CheckedContinuation<Failure?, Never>?

    init(number: UInt64, account: JID, socket: StreamSocket, sink: any LinkSink) {
        self.number = number
        self.account = account
        self.socket = socket
        self.sink = sink
    }

    var isUsable: Bool { ready != nil && !hasEnded }

    /// nil when the stream is ready, or why it never will be.
    func untilReady(isolation: isolated (any Actor)? = #isolation) async -> Failure? {
        if let readyResult { return readyResult.failure }
        return await withCheckedContinuation { readyWaiter = $0 }
    }

    /// Only the first call counts.
    func resumeReady(_ failure: Failure?) {
        guard readyResult == nil else { return }
        readyResult = failure.map { .failure($0) } ?? .success(())
        readyWaiter?.resume(returning: failure)
        readyWaiter = nil
    }

    func resumeEnd() {
        for waiter in endWaiters { waiter.resume() }
        endWaiters = []
    }

    func resumeRoom() {
        for waiter in roomWaiters { waiter.resume() }
        roomWaiters = []
    }
}

extension Result where Success == Void, Failure == Base.Failure {
    fileprivate var failure: Base.Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
