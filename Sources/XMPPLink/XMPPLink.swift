package import Application
package import Base
package import Domain
package import Net
import XMPP

/// One account's connection: a socket, a stream, and what is on its way over them. Pinned to the event loop's thread.
///
/// Inbound: socket → stream → `InboundPump` → sink; what the sink has made durable is acknowledged to the server.
/// Outbound: `submit` → stream → socket; the server's acknowledgements go home through the pump.
package actor XMPPLink: LinkPort {
    /// From the connection to a ready stream, and any request, in milliseconds.
    static let readyMilliseconds: Int64 = 20_000
    static let requestMilliseconds: Int64 = 20_000
    /// Silence after which the server is asked whether it is there, and after which it is given up.
    static let quietMilliseconds: Int64 = 60_000
    static let deadMilliseconds: Int64 = 90_000
    /// Messages handed to the server and not acknowledged, at most.
    static let unacknowledgedLimit = 2048
    /// How long `disconnect` waits for the server to close its side.
    static let closeMilliseconds: Int64 = 2_000

    let executor: EpollExecutor
    let entropy: Entropy
    let time: TimeSource
    let log: Log
    let registry: TaskRegistry
    private let resolver: Resolver

    /// The stream under way, from `connect` until its last event was handed over.
    var current: OpenStream?
    var stream: XMPPStream?
    /// What an ended stream left to be resumed, and what of it cannot be.
    var resumption: ResumableSession?
    var unsettled: [MessageID] = []
    /// Which message a stanza tag stands for, as long as its outcome is open.
    var tags: [StanzaTag: MessageID] = [:]
    var lastTag: UInt64 = 0
    private var lastStream: UInt64 = 0
    /// Answers to requests, kept over a resumption as the server keeps them.
    var router: StanzaRouter?
    var requests: [StanzaRouter.Token: PendingRequest] = [:]
    var archives: [String: ArchiveCollector] = [:]
    var hasArchive = false
    private var saltedPassword: SaltedPassword?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter resolver: on the same executor.
    package init(executor: EpollExecutor, resolver: Resolver, entropy: Entropy, time: TimeSource, log: Log) {
        self.executor = executor
        self.resolver = resolver
        self.entropy = entropy
        self.time = time
        self.log = log.area("link")
        registry = TaskRegistry(time: time)
    }

    // MARK: LinkPort

    package func connect(_ account: LinkAccount, sink: any LinkSink) async throws(Failure) -> LinkSummary {
        guard current == nil else { throw Failure(.streamConflict) }
        lastStream += 1
        let open = OpenStream(
            number: lastStream, account: account.settings.jid,
            socket: StreamSocket(executor: executor, resolver: resolver), sink: sink)
        current = open
        do throws(Failure) {
            try await negotiate(account, open)
            return try await startSession(account, open)
        } catch {
            // Once the stream was ready, the pump tells its end; before, nobody but the caller knows of it.
            if open.ready == nil { await discard(open) } else { finish(error, open) }
            throw error
        }
    }

    package func submit(_ stanzas: [OutgoingStanza]) async throws(Failure) {
        guard !stanzas.isEmpty else { return }
        let elements = try stanzas.map { (stanza) throws(Failure) in try StanzaTranslation.element(for: stanza) }
        let open = try await room(for: stanzas.count)
        for (stanza, element) in zip(stanzas, elements) {
            lastTag += 1
            let tag = StanzaTag(lastTag)
            tags[tag] = stanza.id
            perform(stream?.send(element, tag: tag) ?? [], open)
        }
        // Without stream management, a ping's answer tells that the server has read what came before it.
        if open.ready?.isManaged == false {
            let ids = stanzas.map(\.id)
            for id in ids { open.unmanaged.append(id) }
            try request(.get, to: nil, Ping.request, .acknowledges(ids))
        }
    }

    package func send(_ courtesy: Courtesy) async {
        guard let open = current, open.isUsable, stream?.canSend == true else { return }
        perform(stream?.send(StanzaTranslation.element(for: courtesy)) ?? [], open)
    }

    package func archivePage(_ query: ArchiveQuery) async throws(Failure) -> ArchivePage {
        guard let account = current?.account, let archive = ArchiveCollector(query, account: account) else {
            throw Failure(.netOffline)
        }
        let id = MessageID(entropy: entropy).text
        archives[id] = archive
        defer { archives[id] = nil }
        let answer = try await ask(.set, to: archive.address, archive.request(id))
        return try (archives[id] ?? archive).page(answer)
    }

    package func addContact(_ jid: JID) async throws(Failure) {
        _ = try await ask(.set, to: nil, Roster.set(jid, name: nil, groups: []))
        guard let open = current, open.isUsable else { throw Failure(.netOffline) }
        perform(stream?.send(PresenceStanza(to: jid, kind: .subscribe).element) ?? [], open)
    }

    package func disconnect() async {
        guard let open = current else { return }
        guard open.ready != nil, !open.hasEnded else { return await discard(open) }
        perform(stream?.close() ?? [], open)
        let number = open.number
        let deadline = executor.schedule(afterMilliseconds: Self.closeMilliseconds) { [weak self] in
            self?.assumeIsolated { $0.finish(nil, number) }
        }
        if current === open { await withCheckedContinuation { open.endWaiters.append($0) } }
        executor.cancel(deadline)
    }

    // MARK: Opening

    private func negotiate(_ account: LinkAccount, _ open: OpenStream) async throws(Failure) {
        let settings = account.settings
        let trust: TLSTrust
        do throws(NetError) {
            trust = try settings.authorities.map { (pem) throws(NetError) in try TLSTrust(adding: pem) } ?? .system
        } catch { throw Failure(error.code) }
        let policy = TLSPolicy(serviceDomain: settings.jid.domain, trust: trust)
        open.policy = policy
        let number = open.number
        let opened: StreamSocket.Opened
        do throws(NetError) {
            opened = try await open.socket.open(
                settings.route, proxy: settings.proxyServer, policy: policy,
                handler: { [weak self] event in self?.assumeIsolated { $0.didHear(event, number) } })
        } catch { throw Failure(error.code) }
        guard current === open else { throw Failure(.netClosed) }
        open.tls = opened.tls
        open.isConnected = true
        stream = XMPPStream(
            StreamConfiguration(
                account: try bound(settings.jid, to: account.resource), password: account.password,
                security: opened.tls.map { .direct($0.bindings) } ?? .startTLS, resumption: resumption,
                saltedPassword: saltedPassword),
            entropy: entropy)
        resumption = nil
        let deadline = executor.schedule(afterMilliseconds: Self.readyMilliseconds) { [weak self] in
            self?.assumeIsolated { $0.finish(Failure(.netTimeout), number) }
        }
        defer { executor.cancel(deadline) }
        perform(stream?.start() ?? [], open)
        let early = open.early
        open.early = []
        for bytes in early { perform(stream?.receive(bytes) ?? [], open) }
        if let failure = await open.untilReady() { throw failure }
        saltedPassword = stream?.saltedPassword
    }

    private func bound(_ jid: JID, to resource: String) throws(Failure) -> JID { try jid.with(resource: resource) }

    /// Lets go of a stream that never became ready.
    private func discard(_ open: OpenStream) async {
        open.hasEnded = true
        open.resumeReady(Failure(.netClosed))
        if current === open { keepResumable() }
        await open.socket.close()
        if current === open { current = nil }
        open.resumeEnd()
    }
}

extension ProfileSettings {
    /// Where the stream is to be opened.
    fileprivate var route: Route {
        if let server {
            let isDirect = tls == .direct
            return .fixed(host: server.host, port: server.port ?? (isDirect ? 5223 : 5222), directTLS: isDirect)
        }
        let security: ServiceSecurity =
            switch tls {
            case nil: .any
            case .startTLS?: .startTLSOnly
            case .direct?: .directTLSOnly
            }
        return .service(domain: jid.domain, security: security)
    }

    fileprivate var proxyServer: SOCKS5Proxy? {
        proxy.map { SOCKS5Proxy(host: $0.host, port: $0.port ?? 1080, credentials: nil) }
    }
}

extension TLSDetails {
    var bindings: ChannelBindings {
        ChannelBindings(exporter: exporter, serverEndPoint: serverEndPoint, isTLS13: version == "TLSv1.3")
    }
}
