import Application
import Base
import Domain
import SQLCipherKit

extension ReadTransaction {
    func chats() throws(Failure) -> [ChatSummary] {
        try sql { () throws(StorageError) in
            try connection.rows(
                """
                SELECT \(StoredMessage.columns), chats.address, chats.unread, roster.name
                FROM chats
                LEFT JOIN messages ON messages.position = chats.last
                LEFT JOIN roster ON roster.address = chats.address
                ORDER BY chats.activity DESC, chats.address DESC
                """
            ) { (row) throws(StorageError) in
                let last = row.isNull(0) ? nil : try StoredMessage(row, addresses).message
                return ChatSummary(
                    jid: try addresses.address(row.int64(StoredMessage.columnCount)),
                    name: row.textOrNil(StoredMessage.columnCount + 2),
                    unread: row.int(StoredMessage.columnCount + 1), last: last)
            }
        }
    }

    func unmarked(in chat: JID) throws(Failure) -> MessageID? {
        try sql { () throws(StorageError) in
            guard let number = try addresses.number(of: chat.bare) else { return nil }
            let id = try connection.first(
                """
                SELECT iif(names & 1, id, stanza_id) FROM chats JOIN messages ON position = markable
                WHERE address = ?1
                """, number
            ) { (row) in row.textOrNil(0) }
            return (id ?? nil).flatMap(MessageID.init(text:))
        }
    }

    func hasOutgoing(in chat: JID) throws(Failure) -> Bool {
        try sql { () throws(StorageError) in
            guard let number = try addresses.number(of: chat.bare) else { return false }
            return try connection.first("SELECT written FROM chats WHERE address = ?1", number) { (row) in
                row.bool(0)
            } ?? false
        }
    }
}

/// What a new message does to its chat's line.
struct ChatEffect {
    var position: Int64
    var countsAsUnread = false
    var asksMarker = false
    var isOutgoing = false
}

extension WriteTransaction {
    func markRead(_ chat: JID) throws(Failure) {
        try sql { () throws(StorageError) in
            guard let number = try addresses.number(of: chat.bare) else { return }
            let changed = try connection.run(
                """
                UPDATE chats SET unread = 0, markable = NULL
                WHERE address = ?1 AND (unread > 0 OR markable IS NOT NULL)
                """, number)
            if changed > 0 { note(.chat(chat.bare)) }
        }
    }

    func openChat(_ chat: JID) throws(Failure) {
        try sql { () throws(StorageError) in
            let inserted = try connection.run(
                """
                INSERT INTO chats (address, unread, activity, written)
                VALUES (?1, 0, ifnull((SELECT max(activity) FROM chats), 0) + 1, 0)
                ON CONFLICT (address) DO NOTHING
                """, try addresses.numbered(chat.bare))
            if inserted > 0 { note(.chat(chat.bare)) }
        }
    }

    /// Makes the chat's line for a message that is about to be stored, or brings it up to date.
    func touch(_ chat: Int64, _ effect: ChatEffect) throws(StorageError) {
        try connection.withStatement(
            """
            INSERT INTO chats (address, unread, activity, last, markable, written) VALUES (?1, ?2, ?3, ?3, ?4, ?5)
            ON CONFLICT (address) DO UPDATE SET
                unread = unread + ?2, activity = max(activity, ?3), last = max(ifnull(last, ?3), ?3),
                markable = max(ifnull(markable, ?4), ifnull(?4, markable)), written = written | ?5
            """
        ) { (statement) throws(StorageError) in
            try statement.bind(.integer(chat), at: 1)
            try statement.bind(.integer(effect.countsAsUnread ? 1 : 0), at: 2)
            try statement.bind(.integer(effect.position), at: 3)
            try statement.bind(effect.asksMarker ? .integer(effect.position) : .null, at: 4)
            try statement.bind(.integer(effect.isOutgoing ? 1 : 0), at: 5)
            while try statement.step() {}
        }
    }

    /// Finds the chat's last message anew, after messages were moved or removed.
    func refreshLast(of chat: Int64) throws(StorageError) {
        try connection.run(
            "UPDATE chats SET last = (SELECT max(position) FROM messages WHERE chat = ?1) WHERE address = ?1", chat)
    }
}
