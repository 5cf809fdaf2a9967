import Application
import Base
import Domain
import SQLCipherKit

extension ReadTransaction {
    func messages(in chat: JID, before: MessageID?, limit: Int) throws(Failure) -> [Message] {
        guard let number = try sql({ () throws(StorageError) in try addresses.number(of: chat.bare) }) else {
            if before != nil { throw Failure(.messageMissing) }
            return []
        }
        var end = Int64.max
        if let before {
            let position = try sql { () throws(StorageError) in
                try connection.first(
                    "SELECT position FROM messages WHERE id = ?1 AND chat = ?2", before.text, number
                ) { (row) in row.int64(0) }
            }
            guard let position else { throw Failure(.messageMissing) }
            end = position
        }
        return try sql { () throws(StorageError) in
            try connection.rows(
                """
                SELECT \(StoredMessage.columns) FROM messages
                WHERE chat = ?1 AND position < ?2 ORDER BY position DESC LIMIT ?3
                """, number, end, max(0, limit)
            ) { (row) throws(StorageError) in try StoredMessage(row, addresses).message }.reversed()
        }
    }

    func message(_ id: MessageID) throws(Failure) -> Message? {
        try sql { () throws(StorageError) in try stored(id)?.message }
    }

    func stored(_ id: MessageID) throws(StorageError) -> StoredMessage? {
        try connection.first("SELECT \(StoredMessage.columns) FROM messages WHERE id = ?1", id.text) {
            (row) throws(StorageError) in try StoredMessage(row, addresses)
        }
    }
}

/// A row of `messages` about to be written.
struct MessageRow {
    var position: Int64
    var id: MessageID
    var chat: Int64
    var sender: Int64
    var direction: Direction
    var body: MessageBody?
    var at: Timestamp
    var security: Security
    var delivery: Delivery?
    var names: MessageNames
}

extension WriteTransaction {
    func insert(_ row: MessageRow) throws(StorageError) {
        let names = row.names.columns(publicID: row.id)
        try connection.withStatement(
            """
            INSERT INTO messages (position, id, chat, sender, direction, body, at, security, delivery, failure, names,
                stanza_id, origin_id, archive_id)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            """
        ) { (statement) throws(StorageError) in
            try statement.bind(.integer(row.position), at: 1)
            try statement.bind(.text(row.id.text), at: 2)
            try statement.bind(.integer(row.chat), at: 3)
            try statement.bind(.integer(row.sender), at: 4)
            try statement.bind(.integer(row.direction.number), at: 5)
            try statement.bind((row.body?.text).sqlValue, at: 6)
            try statement.bind(.integer(row.at.milliseconds), at: 7)
            try statement.bind(.integer(row.security.number), at: 8)
            try statement.bind((row.delivery?.number).sqlValue, at: 9)
            try statement.bind((row.delivery?.failureText).sqlValue, at: 10)
            try statement.bind(.integer(names.flags), at: 11)
            try statement.bind(names.stanzaID.sqlValue, at: 12)
            try statement.bind(names.originID.sqlValue, at: 13)
            try statement.bind(row.names.archiveID.sqlValue, at: 14)
            while try statement.step() {}
        }
        if let body = row.body { unindexed.append((row.position, body.text)) }
    }
}
