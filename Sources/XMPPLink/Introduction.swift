import Application
import Base
import Domain
import XMPP

/// What this client tells about itself (XEP-0030, XEP-0115): exactly what it has handlers for.
enum Advertised {
    static let extensions: [Extension] = [
        Roster.handler, Carbon.handler, DeliveryReceipts.handler, ChatMarkers.handler, StanzaIDs.handler, Ping.handler,
    ]
    static let capabilities = EntityCapabilities(
        node: "urn:postern:client",
        identity: ServiceDiscovery.Identity(category: "client", type: "console", name: "Postern"),
        extensions: extensions)
}

extension XMPPLink {
    /// The first words on a new stream: roster (RFC 6121, section 2.2, before presence), carbons, what the account can,
    /// all at once; then presence. Returns when it is known whether there is an archive.
    func introduce(_ session: LinkSession, _ ready: StreamReady) async throws(Failure) {
        let version = ready.hasRosterVersions ? session.account.rosterVersion ?? "" : nil
        // Answered before what is asked after it, so it is there when this returns.
        ask(.get, to: nil, Roster.request(version: version), session) { [weak self, weak session] result in
            guard let self, let session, case .success(.result(let payload)) = result else { return }
            self.assumeIsolated { $0.takeRoster(payload, version, session) }
        }
        ask(.set, to: nil, Carbon.enable, session) { _ in }
        let outcome = try await request(.get, to: session.ownAddress, ServiceDiscovery.infoRequest(), session)
        if case .result(let payload) = outcome {
            session.hasArchive = ServiceDiscovery(payload)?.has(MessageArchive.namespace) ?? false
        }
        session.inbound.append(.event(.streamDidBegin(isResumed: false)))
        // Brings what waits for us: only now it is known whose archive ids are to be believed.
        send(PresenceStanza(Advertised.capabilities).element, session)
    }

    private func takeRoster(_ payload: Element?, _ version: String?, _ session: LinkSession) {
        guard let payload else {
            // Nothing changed since the version we have (RFC 6121, section 2.6.3).
            session.inbound.append(.event(.roster(nil, version: version)))
            return wakePump(session)
        }
        let answer = Roster.answer(payload)
        let items = (answer.entries ?? []).map { RosterTranslation.item(for: $0) }
        session.inbound.append(.event(.roster(items, version: answer.version)))
        wakePump(session)
    }

    /// Adds the contact and asks to see them.
    func addToRoster(_ jid: JID, _ session: LinkSession) async throws(Failure) {
        let outcome = try await request(.set, to: nil, Roster.set(jid, name: nil, groups: []), session)
        guard case .result = outcome else { throw Failure(.serverRefused) }
        send(PresenceStanza(to: jid, kind: .subscribe).element, session)
    }
}

extension PresenceStanza {
    /// Available, with what we can.
    fileprivate init(_ capabilities: EntityCapabilities) { self.init([capabilities.element]) }

    private init(_ payloads: [Element]) {
        self.init(to: nil, kind: .available, show: nil, status: nil, priority: 0, id: nil, payloads)
    }
}
