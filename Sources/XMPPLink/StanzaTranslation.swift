import Application
import Base
import Domain
import XMPP

/// Between stanzas and what the product knows of them. Pure: the same value gives the same bytes each time.
enum StanzaTranslation {
    /// Namespaces of encrypted payloads that a `ProtocolEngine` may know.
    private static let encryptions = ["eu.siacs.conversations.axolotl", "urn:xmpp:omemo:2"]

    // MARK: Outbound

    /// Throws `internal.fault` for an envelope that is no XML: it was not made by an engine of ours.
    static func element(for stanza: OutgoingStanza) throws(Failure) -> Element {
        let payload = try XMLFragment.elements(stanza.envelope.payload)
        return MessageStanza(
            id: stanza.id.text, to: stanza.to,
            payload + [StanzaIDs.origin(stanza.id.text), DeliveryReceipts.request, ChatMarkers.markable]
        ).element
    }

    static func element(for courtesy: Courtesy) -> Element {
        switch courtesy {
        case .receipt(let id, let to):
            MessageStanza(
                id: nil, to: to, [DeliveryReceipts.received(id), ProcessingHint.store.element]
            ).element
        case .displayed(let id, let to):
            MessageStanza(id: nil, to: to, [ChatMarkers.displayed(id), ProcessingHint.store.element]).element
        case .acceptSubscription(let jid): PresenceStanza(to: jid, kind: .subscribed).element
        }
    }

    // MARK: Inbound

    /// What a message stanza means; nil for what is not for us (rooms, forged carbons, unasked archive results).
    static func event(for message: MessageStanza, account: JID) -> InboundEvent? {
        if MessageArchive.isResult(message) { return nil }
        if Carbon.isPresent(in: message) {
            guard let carbon = Carbon(in: message, account: account) else { return nil }
            let route: InboundRoute = carbon.direction == .sent ? .carbonSent : .carbonReceived
            return self.message(carbon.forwarded.message, route, stamp: carbon.forwarded.stamp, account: account)
                .map { .message($0) }
        }
        return self.message(message, .live, stamp: delay(of: message, account: account), account: account)
            .map { .message($0) }
    }

    /// - Parameter stamp: when it was first sent, as far as somebody to be believed says so.
    static func message(
        _ stanza: MessageStanza, _ route: InboundRoute, stamp: Timestamp?, account: JID
    ) -> InboundMessage? {
        guard stanza.kind != .groupchat, stanza.kind != .headline else { return nil }
        var message = InboundMessage(
            route: route, from: stanza.from ?? account, to: stanza.to ?? account)
        message.id = stanza.id
        message.originID = StanzaIDs.originID(in: stanza)
        message.archiveID = StanzaIDs.stanzaID(in: stanza, by: account)
        message.stamp = stamp
        message.receiptFor = DeliveryReceipts.confirmedID(in: stanza)
        message.displayedUpTo = ChatMarkers.displayedID(in: stanza)
        if let error = stanza.error {
            message.failure = SendFailure(code: .messageRefused, isPermanent: !error.isRetryable)
            return message
        }
        message.asksReceipt = DeliveryReceipts.isRequested(by: stanza)
        if let encrypted = encryptions.lazy.compactMap({ stanza.element.child("encrypted", $0) }).first {
            message.envelope = Envelope(
                engine: encrypted.namespace, payload: ElementWriter.bytes(encrypted), security: .undecryptable)
        } else {
            message.body = stanza.body
        }
        return message
    }

    static func event(for presence: PresenceStanza) -> InboundEvent? {
        guard let from = presence.from else { return nil }
        switch presence.kind {
        case .available: return .presence(from, Presence(presence.show))
        case .unavailable, .error: return .presence(from, .offline)
        case .subscribe: return .subscriptionRequest(from.bare)
        case .subscribed, .unsubscribe, .unsubscribed, .probe: return nil
        }
    }

    /// A stamp of our own server or account; a contact could write any.
    private static func delay(of message: MessageStanza, account: JID) -> Timestamp? {
        guard let delay = DelayedDelivery(in: message.element) else { return nil }
        return delay.from.map { $0 == account.server || $0 == account } ?? false ? delay.stamp : nil
    }
}

extension Presence {
    fileprivate init(_ show: PresenceStanza.Show?) {
        self =
            switch show {
            case nil: .online
            case .away?: .away
            case .chat?: .chatty
            case .dnd?: .busy
            case .xa?: .extendedAway
            }
    }
}
