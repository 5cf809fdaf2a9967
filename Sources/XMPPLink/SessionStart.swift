import Application
import Base
import Domain
import XMPP

/// What this client says of itself: exactly what has a handler.
enum ClientProfile {
    static let extensions = [
        StanzaIDs.handler, ChatMarkers.handler, DeliveryReceipts.handler, Carbon.handler, Ping.handler, Roster.handler,
    ]
    static let capabilities = EntityCapabilities(
        node: "https://postern.invalid",
        identity: ServiceDiscovery.Identity(category: "client", type: "console", name: "Postern"),
        extensions: extensions)
}

extension XMPPLink {
    /// After a ready stream: what a new one needs (RFC 6121, section 2.2; XEP-0280), nothing after a resumption.
    func startSession(_ account: LinkAccount, _ open: OpenStream) async throws(Failure) -> LinkSummary {
        guard let ready = open.ready, let tls = open.tls else { throw Failure(.netClosed) }
        if !ready.isResumed {
            try request(
                .get, to: nil, Roster.request(version: ready.hasRosterVersions ? account.rosterVersion ?? "" : nil),
                .roster)
            try request(.set, to: nil, Carbon.enable, .ignored)
            perform(stream?.send(PresenceStanza([ClientProfile.capabilities.element]).element) ?? [], open)
            // Asked of the account: its archive may be another than the server's own.
            do throws(Failure) {
                let answer = try await ask(.get, to: open.account.bare, ServiceDiscovery.infoRequest())
                hasArchive = ServiceDiscovery(answer)?.has(MessageArchive.namespace) ?? false
            } catch {
                guard error.code == .serverRefused else { throw error }
                hasArchive = false
            }
        }
        guard open.isUsable else { throw open.failure ?? Failure(.netClosed) }
        defer { unsettled = [] }
        return LinkSummary(
            tls: tls.version, mechanism: open.authentication?.mechanism ?? "",
            binding: open.authentication?.binding?.rawValue, isResumed: ready.isResumed, hasArchive: hasArchive,
            unsettled: unsettled)
    }
}
