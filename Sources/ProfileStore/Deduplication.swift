import Application
import Base
import Domain
import SQLCipherKit

/// A stored message as far as telling copies apart needs it.
struct KnownMessage {
    static let columns = """
        position, id, chat, sender, direction, body, security, delivery, failure, names, stanza_id, origin_id, archive_id
        """
    let position: Int64
    let id: MessageID
    let chat: Int64
    let sender: Int64
    let direction: Direction
    let body: String?
    let security: Security
    let delivery: Delivery?
    let names: MessageNames

    init(_ row: borrowing Row) throws(StorageError) {
        position = row.int64(0)
        id = try MessageID(stored: row.text(1))
        chat = row.int64(2)
        sender = row.int64(3)
        direction = try Direction(number: row.int64(4))
        body = row.textOrNil(5)
        security = try Security(number: row.int64(6))
        delivery =
            if let number = row.int64OrNil(7) { try Delivery(number: number, failure: row.textOrNil(8)) } else { nil }
        let flags = row.int64(9)
        names = MessageNames(
            stanzaID: flags & MessageNames.Flags.stanzaID != 0 ? id.text : row.textOrNil(10),
            originID: flags & MessageNames.Flags.originID != 0 ? id.text : row.textOrNil(11),
            archiveID: row.textOrNil(12))
    }
}

/// A message that arrived, with its addresses as numbers.
struct Arrival {
    let message: NewMessage
    let names: MessageNames
    let chat: Int64
    let sender: Int64
}

extension WriteTransaction {
    /// The stored message of which `arrival` is another copy.
    ///
    /// Never across conversations. The archive's id is the server's own and decides alone; an origin-id counts only
    /// from the same author. A stanza's id is a weak name (RFC 6120, section 8.1.3: unique within one stream), so the
    /// same id with another text is another message, and none is lost to a client that counts its ids from 1 again.
    func known(_ arrival: Arrival) throws(StorageError) -> KnownMessage? {
        if let name = arrival.names.archiveID,
            let found = try select("chat = ?1 AND archive_id = ?2", arrival.chat, name).first
        {
            return found
        }
        if let name = arrival.names.originID,
            let found = try candidates(name, column: .originID, arrival).first
        {
            return found
        }
        guard let name = arrival.names.stanzaID else { return nil }
        return try candidates(name, column: .stanzaID, arrival).first { known in
            guard let old = known.body, let new = arrival.message.body?.text else { return true }
            return MessageNames.isSame(old, new)
        }
    }

    private enum NameColumn { case originID, stanzaID }

    /// Messages of the same chat, author and direction under a name of theirs, in the chat's order.
    private func candidates(_ name: String, column: NameColumn, _ arrival: Arrival) throws(StorageError)
        -> [KnownMessage]
    {
        // Most have the name as their public id, which is unique in the profile; the few others are in a small index.
        var found = try byPublicID(name).map { [$0] } ?? []
        switch column {
        case .originID:
            found.removeAll { !MessageNames.isSame($0.names.originID, name) }
            found += try select("chat = ?1 AND origin_id = ?2", arrival.chat, name)
        case .stanzaID:
            found.removeAll { !MessageNames.isSame($0.names.stanzaID, name) }
            found += try select("chat = ?1 AND stanza_id = ?2", arrival.chat, name)
        }
        return found.filter {
            $0.chat == arrival.chat && $0.sender == arrival.sender && $0.direction == arrival.message.direction
        }.sorted { $0.position < $1.position }
    }

    func byPublicID(_ id: String) throws(StorageError) -> KnownMessage? {
        try connection.first("SELECT \(KnownMessage.columns) FROM messages WHERE id = ?1", id) {
            (row) throws(StorageError) in try KnownMessage(row)
        }
    }

    private func select(_ condition: StaticString, _ chat: Int64, _ name: String) throws(StorageError) -> [KnownMessage]
    {
        try connection.rows("SELECT \(KnownMessage.columns) FROM messages WHERE \(condition)", chat, name) {
            (row) throws(StorageError) in try KnownMessage(row)
        }
    }
}
