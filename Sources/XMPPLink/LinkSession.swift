import Application
import Base
import Domain
import Net
import XMPP

/// One stream, from the first byte to the last event taken in. It belongs to its link, on whose thread alone it is used.
// @unchecked: confined to the link's executor; timers and socket events run there, too.
final class LinkSession: @unchecked Sendable {
    let number: UInt64
    let account: LinkAccount
    let place: LinkPlace
    let sink: any LinkSink
    let socket: StreamSocket
    let tasks: TaskRegistry

    // The stream.
    var stream: XMPPStream?
    var tls: TLSDetails?
    var authentication: AuthenticationSummary?
    var ready: StreamReady?
    var hasArchive = false
    /// Bytes received; before STARTTLS all of them have to have been read.
    var bytesReceived = 0
    /// Bytes that came while nobody could read them: TLS is being set up.
    var earlyBytes: [UInt8] = []
    var isStartingTLS = false
    /// False while what came waits for the sink, and more is left with the network.
    var isReading = true
    /// A ping waits for its answer.
    var isProbing = false
    /// When the server last showed that it is there, on the clock of `TimeSource.boottime`.
    private(set) var lastHeard: Int64 = 0
    /// Bytes received since.
    private var bytesUnheard = 0
    /// The request for acknowledgement that was open at the last check, and at how many it was.
    var openRequest: (number: UInt64, checks: Int)?

    // Its life.
    var opening: CheckedContinuation<Result<StreamReady, Failure>, Never>?
    /// `connect` has returned.
    var isOnline = false
    /// Our end tag is sent.
    var isClosing = false
    private(set) var isEnded = false
    private(set) var failure: Failure?
    private var isFinished = false
    private var finishWaiters: [CheckedContinuation<Void, Never>] = []

    // What waits.
    var inbound = InboundQueue()
    var pump: CheckedContinuation<Void, Never>?
    var router: StanzaRouter?
    var requests: [StanzaRouter.Token: PendingRequest] = [:]
    var pages: [String: PageCollector] = [:]
    var output = OutputQueue()
    var roomWaiters: [CheckedContinuation<Void, Never>] = []

    private static let bytesOfLife = 4096

    init(
        number: UInt64, account: LinkAccount, place: LinkPlace, sink: any LinkSink, socket: StreamSocket,
        time: TimeSource
    ) {
        self.number = number
        self.account = account
        self.place = place
        self.sink = sink
        self.socket = socket
        tasks = TaskRegistry(time: time)
    }

    var ownAddress: JID { account.settings.jid.bare }

    /// Whether stanzas can be sent.
    var isReady: Bool { ready != nil && !isEnded && !isClosing }

    /// Notes that bytes came, and whether they made something whole. A few bytes now and then of something that never
    /// comes to its end are no sign of life; many are, so that large things may take their time.
    func didHear(_ bytes: Int, isWhole: Bool, at now: Int64) {
        bytesUnheard += bytes
        guard isWhole || bytesUnheard >= Self.bytesOfLife else { return }
        bytesUnheard = 0
        lastHeard = now
    }

    /// Throws why the stream is over, if it is.
    func check() throws(Failure) {
        if isEnded { throw failure ?? Failure(.netClosed) }
    }

    /// Returns false if it was over already.
    func markEnded(_ failure: Failure?) -> Bool {
        guard !isEnded else { return false }
        isEnded = true
        self.failure = failure
        return true
    }

    func markFinished() {
        isFinished = true
        stopWaiting()
    }

    /// Lets everybody go who waits for the end.
    func stopWaiting() {
        let waiters = finishWaiters
        finishWaiters = []
        for waiter in waiters { waiter.resume() }
    }
}

extension XMPPLink {
    /// Waits until `body`'s continuation is given a result.
    func withCheckedResult<Value>(
        _ body: (CheckedContinuation<Result<Value, Failure>, Never>) -> Void
    ) async throws(Failure) -> Value {
        try await withCheckedContinuation(isolation: self, body).get()
    }
}

extension LinkSession {
    /// Returns when the stream is over and the sink knows, or when somebody has lost patience.
    func whenFinished(isolation: isolated (any Actor)? = #isolation) async {
        guard !isFinished else { return }
        await withCheckedContinuation { finishWaiters.append($0) }
    }
}
