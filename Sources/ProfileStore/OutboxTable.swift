import Application
import Base
import Domain
import SQLCipherKit

extension ReadTransaction {
    func outbox(limit: Int) throws(Failure) -> [OutboxItem] {
        try sql { () throws(StorageError) in
            try connection.rows(
                "SELECT \(OutboxItem.columns) FROM outbox ORDER BY sequence LIMIT ?1", max(0, limit)
            ) { (row) throws(StorageError) in try OutboxItem(row, addresses) }
        }
    }

    func outboxCount() throws(Failure) -> Int {
        try sql { () throws(StorageError) in
            try connection.first("SELECT count(*) FROM outbox") { (row) in row.int(0) } ?? 0
        }
    }

    func outboxItem(_ id: MessageID) throws(Failure) -> OutboxItem? {
        try sql { () throws(StorageError) in
            try connection.first("SELECT \(OutboxItem.columns) FROM outbox WHERE id = ?1", id.text) {
                (row) throws(StorageError) in try OutboxItem(row, addresses)
            }
        }
    }

    func submitting() throws(Failure) -> [MessageID] {
        try sql { () throws(StorageError) in
            try connection.rows("SELECT id FROM outbox WHERE state = 2 ORDER BY sequence") {
                (row) throws(StorageError) in try MessageID(stored: row.text(0))
            }
        }
    }
}

extension OutboxItem {
    fileprivate static let columns =
        "sequence, id, chat, state, moment, attempts, engine, payload, security, was_submitted"

    fileprivate init(_ row: borrowing Row, _ addresses: AddressBook) throws(StorageError) {
        self.init(
            id: try MessageID(stored: row.text(1)), chat: try addresses.address(row.int64(2)), sequence: row.int64(0),
            state: try OutboxState(number: row.int64(3), moment: row.int64OrNil(4)), attempts: row.int(5),
            envelope: try Envelope(engine: row.textOrNil(6), payload: row.blobOrNil(7), security: row.int64OrNil(8)),
            wasSubmitted: row.bool(9))
    }
}

extension Envelope {
    fileprivate init?(engine: String?, payload: [UInt8]?, security: Int64?) throws(StorageError) {
        guard let engine, let payload, let security else { return nil }
        self.init(engine: engine, payload: payload, security: try Security(number: security))
    }
}

extension WriteTransaction {
    /// Messages that may wait.
    static let outboxLimit = 10_000

    func enqueue(_ message: Message) throws(Failure) -> OutboxItem {
        guard try outboxCount() < Self.outboxLimit else { throw Failure(.outboxFull) }
        return try sql { () throws(StorageError) in
            let chat = try addresses.numbered(message.chat.bare)
            let position = try place(.live, chat: chat, archive: ArchiveNumber(value: 0))
            try touch(chat, ChatEffect(position: position, isOutgoing: true))
            try insert(
                MessageRow(
                    position: position, id: message.id, chat: chat, sender: try addresses.numbered(message.from.bare),
                    direction: .outgoing, body: message.body, at: message.at, security: message.security,
                    delivery: .queued,
                    names: MessageNames(stanzaID: message.id.text, originID: message.id.text, archiveID: nil)))
            note(
                .message(
                    Message(
                        id: message.id, chat: message.chat.bare, from: message.from.bare, direction: .outgoing,
                        body: message.body, at: message.at, delivery: .queued, security: message.security)))
            let item = try append(message.id, chat: message.chat.bare, number: chat, envelope: nil, wasSubmitted: false)
            try applyEarly(message.id, chat: message.chat.bare)
            return item
        }
    }

    func update(_ item: OutboxItem) throws(Failure) {
        let updated = try sql { () throws(StorageError) in
            try connection.run(
                """
                UPDATE outbox SET state = ?2, moment = ?3, attempts = ?4, engine = ?5, payload = ?6, security = ?7,
                    was_submitted = ?8
                WHERE id = ?1
                """, item.id.text, item.state.number, item.state.moment, item.attempts, item.envelope?.engine,
                item.envelope?.payload, item.envelope?.security.number, item.wasSubmitted)
        }
        guard updated > 0 else { throw Failure(.messageMissing) }
        note(.outbox)
    }

    /// The envelope of a message that was not accepted goes to the shelf: a retry sends the same bytes.
    func removeFromOutbox(_ id: MessageID) throws(Failure) {
        try sql { () throws(StorageError) in
            try connection.run(
                """
                INSERT OR REPLACE INTO shelf (id, engine, payload, security, was_submitted)
                SELECT outbox.id, engine, payload, outbox.security, was_submitted
                FROM outbox JOIN messages ON messages.id = outbox.id
                WHERE outbox.id = ?1 AND engine IS NOT NULL AND delivery IN (0, 4)
                """, id.text)
            if try connection.run("DELETE FROM outbox WHERE id = ?1", id.text) > 0 { note(.outbox) }
        }
    }

    /// Puts a failed message into the outbox again, with the envelope it had.
    func reenqueue(_ failed: KnownMessage) throws(Failure) -> OutboxItem {
        if var item = try outboxItem(failed.id) {
            item.state = item.envelope == nil ? .preparing : .ready
            item.attempts = 0
            try update(item)
            return item
        }
        guard try outboxCount() < Self.outboxLimit else { throw Failure(.outboxFull) }
        return try sql { () throws(StorageError) in
            let kept = try connection.first(
                "DELETE FROM shelf WHERE id = ?1 RETURNING engine, payload, security, was_submitted", failed.id.text
            ) { (row) throws(StorageError) in
                (
                    envelope: Envelope(
                        engine: row.text(0), payload: row.blob(1), security: try Security(number: row.int64(2))),
                    wasSubmitted: row.bool(3)
                )
            }
            return try append(
                failed.id, chat: try addresses.address(failed.chat), number: failed.chat, envelope: kept?.envelope,
                wasSubmitted: kept?.wasSubmitted ?? false)
        }
    }

    /// The message is accepted: its envelope will not be needed again.
    func clearShelf(_ id: MessageID) throws(StorageError) {
        try connection.run("DELETE FROM shelf WHERE id = ?1", id.text)
    }

    /// The message is being removed altogether.
    func removeFromQueue(_ id: MessageID) throws(StorageError) {
        try clearShelf(id)
        if try connection.run("DELETE FROM outbox WHERE id = ?1", id.text) > 0 { note(.outbox) }
    }

    private func append(
        _ id: MessageID, chat: JID, number: Int64, envelope: Envelope?, wasSubmitted: Bool
    ) throws(StorageError) -> OutboxItem {
        let state: OutboxState = envelope == nil ? .preparing : .ready
        try connection.run(
            """
            INSERT INTO outbox (id, chat, state, attempts, engine, payload, security, was_submitted)
            VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7)
            """, id.text, number, state.number, envelope?.engine, envelope?.payload, envelope?.security.number,
            wasSubmitted)
        let sequence = connection.lastInsertedRowID
        note(.outbox)
        return OutboxItem(
            id: id, chat: chat, sequence: sequence, state: state, attempts: 0, envelope: envelope,
            wasSubmitted: wasSubmitted)
    }
}
