package import Application
package import Base
package import Domain
package import Net
import XMPP

/// One account's connection over XMPP: sockets and TLS by Net, the stream by XMPP, translation here.
///
/// The actor lives on the event loop's thread, as the socket does, so bytes come and go without a hop. It guards one
/// stream at a time and what outlives it: the state to resume with, and which messages the server may not have taken.
package actor XMPPLink: LinkPort {
    let executor: EpollExecutor
    let time: TimeSource
    let entropy: Entropy
    let log: Log
    let limits: LinkLimits
    private let resolver: Resolver

    var session: LinkSession?
    private var sessions: UInt64 = 0

    // What outlives a stream.
    private var resumption: ResumableSession?
    private var salted: SaltedPassword?
    /// Whether the account has an archive, as its server said when the stream was bound that may be resumed.
    private var hadArchive = false
    /// A stanza was too large for an earlier stream. Servers bring it again, so the next ones leave such out.
    var leavesOutLarge = false
    /// Whether everything was asked and answered that a new stream begins with.
    private var isIntroduced = false
    /// Messages that were handed over and not acknowledged, by the number under which they were sent.
    var open: [UInt64: MessageID] = [:]
    var tags: UInt64 = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter resolver: on the same executor.
    package init(
        executor: EpollExecutor, resolver: Resolver, entropy: Entropy, time: TimeSource, log: Log,
        limits: LinkLimits = LinkLimits()
    ) {
        self.executor = executor
        self.resolver = resolver
        self.time = time
        self.entropy = entropy
        self.log = log.area("link")
        self.limits = limits
    }

    // MARK: LinkPort

    package func connect(_ account: LinkAccount, sink: any LinkSink) async throws(Failure) -> LinkSummary {
        await disconnect()
        let place: LinkPlace
        do throws(Failure) { place = try LinkPlace(account.settings) } catch {
            log.info("no stream", ["code": error.code])
            throw error
        }
        sessions += 1
        let session = LinkSession(
            number: sessions, account: account, place: place, sink: sink,
            socket: StreamSocket(executor: executor, resolver: resolver, limits: limits.socket), time: time)
        self.session = session
        let number = session.number
        let deadline = executor.schedule(afterMilliseconds: limits.connectMilliseconds) { [weak self] in
            self?.assumeIsolated { $0.end(number, Failure(.netTimeout)) }
        }
        defer { executor.cancel(deadline) }
        startPump(session)
        do throws(Failure) {
            let summary = try await establish(session)
            try session.check()
            session.isOnline = true
            startKeepalive(session)
            return summary
        } catch {
            end(number, error)
            await session.whenFinished()
            // Why the stream ended says more than that it cut a request short.
            throw session.failure ?? error
        }
    }

    package func submit(_ stanzas: [OutgoingStanza]) async throws(Failure) {
        guard let session, session.isOnline, !session.isEnded, !session.isClosing else { throw Failure(.netOffline) }
        try await hand(over: stanzas, session)
    }

    package func send(_ courtesies: [Courtesy]) {
        guard let session, session.isReady else { return }
        var actions: [StreamAction] = []
        for courtesy in courtesies {
            let stanza = CourtesyStanza.element(for: courtesy, id: MessageID(entropy: entropy))
            actions += session.stream?.send(stanza) ?? []
        }
        perform(actions, session)
    }

    package func archivePage(_ query: ArchiveQuery) async throws(Failure) -> ArchivePage {
        guard let session, session.isReady else { throw Failure(.netOffline) }
        return try await readPage(query, session)
    }

    package func addContact(_ jid: JID) async throws(Failure) {
        guard let session, session.isReady else { throw Failure(.netOffline) }
        try await addToRoster(jid.bare, session)
    }

    package func disconnect() async {
        guard let session else { return }
        let number = session.number
        if session.isReady, !session.isClosing {
            session.isClosing = true
            perform(session.stream?.close() ?? [], session)
            executor.schedule(afterMilliseconds: limits.closeMilliseconds / 2) { [weak self] in
                self?.assumeIsolated { $0.end(number, nil) }
            }
        } else if !session.isClosing {
            end(number, Failure(.netClosed))
        }
        let patience = executor.schedule(afterMilliseconds: limits.closeMilliseconds) { [weak session] in
            session?.stopWaiting()
        }
        await session.whenFinished()
        executor.cancel(patience)
        if self.session === session { self.session = nil }
    }

    // MARK: Opening

    private func establish(_ session: LinkSession) async throws(Failure) -> LinkSummary {
        let ready = try await open(session)
        salted = session.stream?.saltedPassword
        if ready.isResumed && isIntroduced {
            session.hasArchive = hadArchive
            session.inbound.append(.event(.streamDidBegin(isResumed: true)))
            wakePump(session)
        } else {
            isIntroduced = false
            try await introduce(session, ready)
            hadArchive = session.hasArchive
            isIntroduced = true
        }
        return LinkSummary(
            tls: session.tls?.version ?? "", mechanism: session.authentication?.mechanism ?? "",
            binding: session.authentication?.binding?.rawValue, isResumed: ready.isResumed,
            hasArchive: session.hasArchive)
    }

    /// Connects, secures, signs in, resumes or binds.
    private func open(_ session: LinkSession) async throws(Failure) -> StreamReady {
        let number = session.number
        let opened: StreamSocket.Opened
        do throws(NetError) {
            opened = try await session.socket.open(
                session.place.route, proxy: session.place.proxy, policy: session.place.policy
            ) { [weak self] event in
                self?.assumeIsolated { $0.socketDid(event, number) }
            }
        } catch {
            try session.check()
            throw Failure(error.code)
        }
        try session.check()
        session.tls = opened.tls
        session.stream = XMPPStream(
            StreamConfiguration(
                account: try session.account.settings.jid.with(resource: session.account.resource),
                password: session.account.password,
                security: opened.tls.map { .direct(ChannelBindings($0)) } ?? .startTLS, resumption: resumption,
                saltedPassword: salted, leavesOutLarge: leavesOutLarge), entropy: entropy)
        return try await withCheckedResult { continuation in
            session.opening = continuation
            perform(session.stream?.start() ?? [], session)
            takeEarlyBytes(session)
        }
    }

    /// The stream is over and everything it brought was taken in, or refused.
    func didFinish(_ session: LinkSession) {
        guard let stream = session.stream.take() else { return }
        resumption = stream.resumableSession
    }
}

/// Times in milliseconds.
package struct LinkLimits: Sendable {
    /// A whole attempt, from the first look-up to the answers that tell what the account can.
    package var connectMilliseconds: Int64 = 29_000
    /// An answer to a request.
    package var requestMilliseconds: Int64 = 20_000
    /// The end of a stream, in order.
    package var closeMilliseconds: Int64 = 2_000
    /// After so long a silence the server is asked whether it is there.
    package var silenceMilliseconds: Int64 = 60_000
    package var socket = StreamSocket.Limits()

    package init() {
        socket.openMilliseconds = 20_000
        socket.closeMilliseconds = 800
    }
}

extension ChannelBindings {
    init(_ tls: TLSDetails) {
        self.init(exporter: tls.exporter, serverEndPoint: tls.serverEndPoint, isTLS13: tls.version == "TLSv1.3")
    }
}
