import Application
import Base
import Domain
import SQLCipherKit

extension WriteTransaction {
    /// Messages that one marker can bring further, newest first; older ones wait for the next marker.
    private static let markerReach = 1000

    func advance(_ id: MessageID, in chat: JID?, to delivery: Delivery) throws(Failure) -> Bool {
        try sql { () throws(StorageError) in
            guard let known = try outgoing(id, in: chat) else { return false }
            try advance(known.position, known.id, from: known.delivery, to: delivery)
            return true
        }
    }

    func advanceAll(upTo id: MessageID, in chat: JID, to delivery: Delivery) throws(Failure) -> Bool {
        try sql { () throws(StorageError) in
            guard let known = try outgoing(id, in: chat) else { return false }
            try advanceAll(upTo: known, to: delivery)
            return true
        }
    }

    func retry(_ id: MessageID) throws(Failure) -> OutboxItem {
        let failed = try sql { () throws(StorageError) in try byPublicID(id.text) }
        guard let failed, case .failed = failed.delivery else { throw Failure(.messageMissing) }
        let item = try reenqueue(failed)
        try sql { () throws(StorageError) in try setDelivery(.queued, at: failed.position, id: failed.id) }
        return item
    }

    func noteArchived(_ id: MessageID, archiveID: String) throws(Failure) {
        try sql { () throws(StorageError) in
            guard let known = try outgoing(id, in: nil), known.names.archiveID == nil,
                let name = MessageNames(stanzaID: nil, originID: nil, archiveID: archiveID).archiveID
            else { return }
            try connection.run(
                "UPDATE OR IGNORE messages SET archive_id = ?2 WHERE position = ?1", known.position, name)
        }
    }

    /// Brings one message as far as `news` says (`Delivery.merged`).
    func advance(
        _ position: Int64, _ id: MessageID, from delivery: Delivery?, to news: Delivery
    ) throws(StorageError) {
        guard let delivery else { return }
        let merged = delivery.merged(with: news)
        if merged != delivery { try setDelivery(merged, at: position, id: id) }
    }

    /// A marker says that everything up to it was seen; a message that no server was ever given was not.
    func advanceAll(upTo known: KnownMessage, to news: Delivery) throws(StorageError) {
        let reached = try connection.rows(
            """
            SELECT position, id, delivery, failure FROM messages
            WHERE chat = ?1 AND position < ?2 AND delivery < 3
                AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.id = messages.id AND was_submitted = 0)
            ORDER BY position DESC LIMIT ?3
            """, known.chat, known.position, Self.markerReach
        ) { (row) throws(StorageError) in
            (
                position: row.int64(0), id: try MessageID(stored: row.text(1)),
                delivery: try Delivery(number: row.int64(2), failure: row.textOrNil(3))
            )
        }
        for message in reached.reversed() {
            try advance(message.position, message.id, from: message.delivery, to: news)
        }
        try advance(known.position, known.id, from: known.delivery, to: news)
    }

    private func setDelivery(_ delivery: Delivery, at position: Int64, id: MessageID) throws(StorageError) {
        try connection.run(
            "UPDATE messages SET delivery = ?2, failure = ?3 WHERE position = ?1", position, delivery.number,
            delivery.failureText)
        switch delivery {
        case .queued, .failed: break
        case .sent, .delivered, .read: try clearShelf(id)
        }
        note(.delivery(id, delivery))
    }

    /// An outgoing message by its public id or, within a chat, by the id its stanza had.
    func outgoing(_ id: MessageID, in chat: JID?) throws(StorageError) -> KnownMessage? {
        guard let chat else {
            let known = try byPublicID(id.text)
            return known?.direction == .outgoing ? known : nil
        }
        guard let number = try addresses.number(of: chat.bare) else { return nil }
        if let known = try byPublicID(id.text), known.chat == number, known.direction == .outgoing { return known }
        return try connection.first(
            "SELECT \(KnownMessage.columns) FROM messages WHERE chat = ?1 AND stanza_id = ?2 AND direction = 1 ORDER BY position",
            number, id.text
        ) { (row) throws(StorageError) in try KnownMessage(row) }
    }
}
