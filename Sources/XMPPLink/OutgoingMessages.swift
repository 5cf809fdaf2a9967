import Application
import Base
import Domain
import XMPP

/// A message's bytes on the wire: the same each time for the same value.
enum MessageWriter {
    /// `<message>` around the envelope's payload, with origin-id, and the wish for receipt and marker.
    static func bytes(_ stanza: OutgoingStanza) -> [UInt8] {
        let frame = ElementWriter.bytes(MessageStanza(id: stanza.id.text, to: stanza.to, kind: .chat).element)
        // An element without children is written with a closing slash.
        var bytes = Array(frame.dropLast(2)) + [UInt8(ascii: ">")]
        bytes += stanza.envelope.payload
        for element in [DeliveryReceipts.request, ChatMarkers.markable, StanzaIDs.origin(stanza.id.text)] {
            bytes += ElementWriter.bytes(element)
        }
        return bytes + Array("</message>".utf8)
    }
}

/// Small things without an outbox.
enum CourtesyStanza {
    static func element(for courtesy: Courtesy, id: MessageID) -> Element {
        switch courtesy {
        case .receipt(let confirmed, let to):
            MessageStanza(id: id.text, to: to, [DeliveryReceipts.received(confirmed), ProcessingHints.store]).element
        case .displayed(let seen, let to):
            MessageStanza(id: id.text, to: to, [ChatMarkers.displayed(seen), ProcessingHints.store]).element
        case .acceptSubscription(let jid): PresenceStanza(to: jid, kind: .subscribed).element
        }
    }
}

extension XMPPLink {
    /// Bytes of messages that go out together.
    private static let writeBytes = 64 * 1024

    /// Writes messages, waiting where the server or the network does not keep up.
    ///
    /// Throws `net.offline` as long as none was handed over, `net.closed` after that: the outcome of those that were is
    /// told by acknowledgements, on this stream or one that resumes it, or never.
    func hand(over stanzas: [OutgoingStanza], _ session: LinkSession) async throws(Failure) {
        var sent: [UInt64] = []
        // What fits into one write is one write.
        var actions: [StreamAction] = []
        var bytes = 0
        for stanza in stanzas {
            let encoded = MessageWriter.bytes(stanza)
            if bytes + encoded.count > Self.writeBytes {
                perform(actions, session)
                actions = []
                bytes = 0
            }
            while session.isReady, !(session.stream?.canSend ?? false) || !session.output.isEmpty {
                perform(actions, session)
                actions = []
                bytes = 0
                await waitForRoom(session)
            }
            guard session.isReady else { throw Failure(sent.isEmpty ? .netOffline : .netClosed) }
            tags += 1
            open[tags] = stanza.id
            sent.append(tags)
            actions += session.stream?.send(encoded: encoded, tag: StanzaTag(tags)) ?? []
            bytes += encoded.count
        }
        perform(actions, session)
        if session.ready?.isManaged == false { askWhetherTaken(sent, session) }
    }

    /// Without stream management: the server answers in order, so an answered ping says that it took what came before.
    private func askWhetherTaken(_ tags: [UInt64], _ session: LinkSession) {
        ask(.get, to: session.ownAddress.server, Ping.request, session) { [weak self, weak session] result in
            guard let self, let session else { return }
            self.assumeIsolated { link in
                switch result {
                case .success: link.acknowledge(tags, session)
                // No answer: whether they were taken is not known, and no later ping will tell.
                case .failure: link.end(session.number, Failure(.serverTimeout))
                }
                link.wakePump(session)
            }
        }
    }

    /// The server took these.
    func acknowledge(_ tags: [UInt64], _ session: LinkSession) {
        let ids = tags.compactMap { open.removeValue(forKey: $0) }
        if !ids.isEmpty { session.inbound.append(.event(.acknowledged(ids))) }
        releaseRoom(session)
    }
}
