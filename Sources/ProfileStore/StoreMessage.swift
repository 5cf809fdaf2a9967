import Application
import Base
import Domain
import SQLCipherKit

extension WriteTransaction {
    func store(_ message: NewMessage) throws(Failure) -> StoreOutcome {
        try sql { () throws(StorageError) in
            let arrival = Arrival(
                message: message, names: MessageNames(message), chat: try addresses.numbered(message.chat.bare),
                sender: try addresses.numbered(message.from.bare))
            if try isSuppressed(arrival) { return .suppressed }
            if let known = try known(arrival) {
                try merge(arrival, into: known)
                if message.placement != .live { try pageArrived(at: known.position, chat: known.chat) }
                return .duplicate(known.id)
            }
            return .inserted(try insert(arrival))
        }
    }

    private func insert(_ arrival: Arrival) throws(StorageError) -> MessageID {
        let message = arrival.message
        let isIncoming = message.direction == .incoming
        let position = try place(message.placement, chat: arrival.chat, archive: try number(message.archive))
        try touch(
            arrival.chat,
            ChatEffect(
                position: position, countsAsUnread: isIncoming && message.countsAsUnread,
                asksMarker: isIncoming && message.asksMarker, isOutgoing: !isIncoming))
        let id = try publicID(for: arrival.names)
        // Ours, written on another device: the server has it, or it would not come from there.
        let delivery: Delivery? = isIncoming ? nil : .sent
        try insert(
            MessageRow(
                position: position, id: id, chat: arrival.chat, sender: arrival.sender, direction: message.direction,
                body: message.body, at: message.at, security: message.security, delivery: delivery,
                names: arrival.names))
        note(
            .message(
                Message(
                    id: id, chat: message.chat.bare, from: message.from.bare, direction: message.direction,
                    body: message.body, at: message.at, delivery: delivery, security: message.security)))
        if isIncoming && message.countsAsUnread { note(.chat(message.chat.bare)) }
        if !isIncoming { try applyEarly(id, chat: message.chat.bare) }
        return id
    }

    /// The stanza's own name where it is a well-formed id that no other message of the profile has.
    private func publicID(for names: MessageNames) throws(StorageError) -> MessageID {
        for name in [names.stanzaID, names.originID] {
            guard let name, let id = MessageID(text: name), try byPublicID(name) == nil else { continue }
            return id
        }
        return MessageID(entropy: entropy)
    }

    /// Adds what the copy knows and the stored message does not.
    private func merge(_ arrival: Arrival, into known: KnownMessage) throws(StorageError) {
        var names = known.names
        names.archiveID = names.archiveID ?? arrival.names.archiveID
        names.originID = names.originID ?? arrival.names.originID
        names.stanzaID = names.stanzaID ?? arrival.names.stanzaID
        if names != known.names {
            let columns = names.columns(publicID: known.id)
            try connection.run(
                """
                UPDATE messages SET names = ?2, stanza_id = ?3, origin_id = ?4, archive_id = ?5 WHERE position = ?1
                """, known.position, columns.flags, columns.stanzaID, columns.originID, names.archiveID)
        }
        if known.direction == .outgoing { try advance(known.position, known.id, from: known.delivery, to: .sent) }
        if known.body == nil, let body = arrival.message.body {
            try connection.run(
                "UPDATE messages SET body = ?2, security = ?3 WHERE position = ?1", known.position, body.text,
                arrival.message.security.number)
            unindexed.append((known.position, body.text))
            note(.chat(arrival.message.chat.bare))
        }
    }
}
