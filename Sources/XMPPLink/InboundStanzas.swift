import Application
import Base
import Domain
import XMPP

extension XMPPLink {
    /// Takes a stanza in: an answer to whoever waits for it, a request is answered, the rest becomes events.
    func take(_ stanza: Stanza, _ session: LinkSession) {
        guard let route = session.router?.route(stanza) else { return }
        switch route {
        case .message(let message): take(message, session)
        case .presence(let presence): take(presence, session)
        case .answer(let token, let outcome): requestDidEnd(token, outcome, session)
        case .reply(let iq): send(iq.element, session)
        case .push(.roster(let push), let reply):
            session.inbound.append(.event(RosterTranslation.event(for: push)))
            // The server is told that it was taken when it was.
            session.inbound.append(.reply(reply.element))
        case .ignored: break
        }
    }

    private func take(_ message: MessageStanza, _ session: LinkSession) {
        if MessageArchive.isResult(message) { return collect(message, session) }
        let translation = MessageTranslation(account: session.ownAddress, trustsArchiveIDs: session.hasArchive)
        if let translated = translation.live(message) { session.inbound.append(.event(.message(translated))) }
    }

    private func take(_ presence: PresenceStanza, _ session: LinkSession) {
        if let event = PresenceTranslation.event(for: presence) { session.inbound.append(.event(event)) }
    }
}

/// RFC 6121, section 4.
enum PresenceTranslation {
    static func event(for presence: PresenceStanza) -> InboundEvent? {
        guard let from = presence.from else { return nil }
        switch presence.kind {
        case .available:
            let shown: Presence =
                switch presence.show {
                case nil: .online
                case .away: .away
                case .chat: .chatty
                case .dnd: .busy
                case .xa: .extendedAway
                }
            return .presence(from, shown)
        case .unavailable: return .presence(from, .offline)
        case .subscribe: return .subscriptionRequest(from.bare)
        case .subscribed, .unsubscribe, .unsubscribed, .probe, .error: return nil
        }
    }
}

enum RosterTranslation {
    static func item(for entry: RosterEntry) -> RosterItem {
        let subscription: Subscription =
            switch entry.subscription {
            case .none, .remove: .none
            case .to: .to
            case .from: .from
            case .both: .both
            }
        return RosterItem(jid: entry.jid, name: entry.name, subscription: subscription, isAsking: entry.isAsking)
    }

    static func event(for push: RosterPush) -> InboundEvent {
        .rosterPush(item(for: push.entry), removed: push.entry.subscription == .remove, version: push.version)
    }
}
