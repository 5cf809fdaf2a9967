import Application
import Base
import Domain
import SQLCipherKit

extension WriteTransaction {
    /// How many are kept; the oldest give way.
    static let earlyLimit = 1000

    func keepEarly(_ delivery: Delivery, for id: String, in chat: JID) throws(Failure) {
        // What is no id of ours can never find its message.
        guard let id = MessageID(text: id) else { return }
        try sql { () throws(StorageError) in
            let before = try connection.first(
                "SELECT delivery, failure FROM early_deliveries WHERE chat = ?1 AND id = ?2", chat.bare.addressText,
                id.text
            ) { (row) throws(StorageError) in try Delivery(number: row.int64(0), failure: row.textOrNil(1)) }
            let merged = before?.merged(with: delivery) ?? delivery
            try connection.run(
                """
                INSERT INTO early_deliveries (chat, id, delivery, failure) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (chat, id) DO UPDATE SET delivery = ?3, failure = ?4
                """, chat.bare.addressText, id.text, merged.number, merged.failureText)
            try connection.run(
                """
                DELETE FROM early_deliveries WHERE number <= (
                    SELECT number FROM early_deliveries ORDER BY number DESC LIMIT 1 OFFSET ?1)
                """, Self.earlyLimit)
            hasEarly = true
        }
    }

    /// Applies what came before this message, once. A marker reaches the messages before it as well.
    func applyEarly(_ id: MessageID, chat: JID) throws(StorageError) {
        if hasEarly == nil {
            hasEarly = try connection.first("SELECT 1 FROM early_deliveries LIMIT 1") { (row) in row.bool(0) } ?? false
        }
        guard hasEarly == true else { return }
        let early = try connection.first(
            "DELETE FROM early_deliveries WHERE chat = ?1 AND id = ?2 RETURNING delivery, failure", chat.addressText,
            id.text
        ) { (row) throws(StorageError) in try Delivery(number: row.int64(0), failure: row.textOrNil(1)) }
        guard let early, let known = try byPublicID(id.text) else { return }
        if early == .read {
            try advanceAll(upTo: known, to: early)
        } else {
            try advance(known.position, id, from: known.delivery, to: early)
        }
    }
}
