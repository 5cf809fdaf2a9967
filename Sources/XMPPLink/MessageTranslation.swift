package import Base
package import Domain
package import XMPP

/// Message stanzas in the product's words. What is forged, meant for a room or empty of anything for us is nil.
package struct MessageTranslation {
    /// Our own bare address.
    private let account: JID
    /// Whether our server keeps an archive, and so takes forged ids in its name out (XEP-0359, section 4).
    private let trustsArchiveIDs: Bool

    package init(account: JID, trustsArchiveIDs: Bool) {
        self.account = account
        self.trustsArchiveIDs = trustsArchiveIDs
    }

    /// A message that came by itself, carbons included.
    package func live(_ stanza: MessageStanza) -> InboundMessage? {
        guard Carbon.isPresent(in: stanza) else { return translate(stanza, route: .live, stamp: ownDelay(stanza)) }
        guard let carbon = Carbon(in: stanza, account: account) else { return nil }
        let forwarded = carbon.forwarded
        // Somebody's errors about another device's messages are that device's.
        guard forwarded.message.kind != .error else { return nil }
        switch carbon.direction {
        case .sent where forwarded.message.from.map { $0.bare == account } ?? true:
            return translate(forwarded.message, route: .carbonSent, stamp: forwarded.stamp)
        case .received where forwarded.message.to.map { $0.bare == account } ?? true:
            return translate(forwarded.message, route: .carbonReceived, stamp: forwarded.stamp)
        case .sent, .received: return nil
        }
    }

    /// A message out of an archive.
    func archived(_ result: MessageArchive.Result, in archive: ArchiveName) -> InboundMessage? {
        guard let forwarded = result.forwarded, forwarded.message.kind != .error else { return nil }
        return translate(forwarded.message, route: .archive(archive, id: result.id), stamp: forwarded.stamp)
    }

    private func translate(_ stanza: MessageStanza, route: InboundRoute, stamp: Timestamp?) -> InboundMessage? {
        // Rooms and announcements have no conversation here.
        switch stanza.kind {
        case .groupchat, .headline: return nil
        case .normal, .chat, .error: break
        }
        var message = InboundMessage(route: route, from: stanza.from ?? account, to: stanza.to ?? account)
        message.id = stanza.id
        message.stamp = stamp
        if let error = stanza.error {
            message.failure = SendFailure(code: .messageRefused, isPermanent: !error.isRetryable)
            return message
        }
        message.originID = StanzaIDs.originID(in: stanza)
        switch route {
        case .archive(_, let id): message.archiveID = id
        case .live, .carbonReceived, .carbonSent:
            message.archiveID = trustsArchiveIDs ? StanzaIDs.stanzaID(in: stanza, by: account) : nil
        }
        message.receiptFor = DeliveryReceipts.confirmedID(in: stanza)
        message.displayedUpTo = ChatMarkers.displayedID(in: stanza)
        message.asksReceipt = DeliveryReceipts.isRequested(by: stanza)
        message.asksMarker = ChatMarkers.isMarkable(stanza)
        fillContent(&message, of: stanza)
        let isEmpty =
            message.body == nil && message.envelope == nil && message.receiptFor == nil
            && message.displayedUpTo == nil
        return isEmpty ? nil : message
    }

    private func fillContent(_ message: inout InboundMessage, of stanza: MessageStanza) {
        guard let encrypted = EncryptedPayload(in: stanza) else {
            message.body = stanza.body
            return
        }
        // The body beside it is for those who cannot read it, and says nothing.
        message.envelope = encrypted.envelope
    }

    /// Only our own server's word about when it got the message.
    private func ownDelay(_ stanza: MessageStanza) -> Timestamp? {
        guard let delay = DelayedDelivery(in: stanza.element),
            delay.from == nil || delay.from == account || delay.from == account.server
        else { return nil }
        return delay.stamp
    }
}

/// The encrypted part of a message: OMEMO (XEP-0384), or what XEP-0380 says is some other encryption.
private struct EncryptedPayload {
    private static let omemo = ["eu.siacs.conversations.axolotl", "urn:xmpp:omemo:2", "urn:xmpp:omemo:1"]

    /// nil for one without content: only keys, nothing to show.
    let envelope: Envelope?

    init?(in stanza: MessageStanza) {
        for namespace in Self.omemo {
            guard let element = stanza.element.child("encrypted", namespace) else { continue }
            let hasContent = element.child("payload", namespace) != nil
            envelope = hasContent ? Self.envelope(namespace, element) : nil
            return
        }
        guard let named = ExplicitEncryption(in: stanza) else { return nil }
        envelope = Self.envelope(named.encryption, stanza.element)
    }

    private static func envelope(_ namespace: String, _ element: Element) -> Envelope {
        Envelope(engine: namespace, payload: ElementWriter.bytes(element), security: .undecryptable)
    }
}
