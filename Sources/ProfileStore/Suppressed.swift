import Application
import Base
import Domain
import SQLCipherKit

extension WriteTransaction {
    /// The column `kind`: which of its names a removed message is known by.
    private enum Kind: Int64 {
        case archiveID = 0
        case originID = 1
        case stanzaID = 2
    }

    func suppress(_ id: MessageID) throws(Failure) {
        let known = try sql { () throws(StorageError) in try byPublicID(id.text) }
        guard let known else { throw Failure(.messageMissing) }
        try sql { () throws(StorageError) in
            try remember(known)
            try indexTexts()
            try unindex(known)
            try removeFromQueue(known.id)
            try connection.run("DELETE FROM messages WHERE position = ?1", known.position)
            try connection.run("UPDATE chats SET markable = NULL WHERE markable = ?1", known.position)
            try refreshLast(of: known.chat)
            note(.chat(try addresses.address(known.chat)))
        }
    }

    /// Whether this is a copy of a message that was removed here.
    func isSuppressed(_ arrival: Arrival) throws(StorageError) -> Bool {
        if hasSuppressed == nil {
            hasSuppressed = try connection.first("SELECT 1 FROM suppressed LIMIT 1") { (row) in row.bool(0) } ?? false
        }
        guard hasSuppressed == true else { return false }
        for (kind, name) in [
            (Kind.archiveID, arrival.names.archiveID), (.originID, arrival.names.originID),
            (.stanzaID, arrival.names.stanzaID),
        ] {
            guard let name else { continue }
            let isThere = try connection.first(
                "SELECT 1 FROM suppressed WHERE chat = ?1 AND kind = ?2 AND name = ?3 AND (sender = ?4 OR kind = 0)",
                arrival.chat, kind.rawValue, name, arrival.sender
            ) { (row) in row.bool(0) }
            if isThere == true { return true }
        }
        return false
    }

    private func remember(_ known: KnownMessage) throws(StorageError) {
        // The weak stanza id serves only where nothing better is known.
        let isArchived = known.names.archiveID != nil
        for (kind, name) in [
            (Kind.archiveID, known.names.archiveID), (.originID, known.names.originID),
            (.stanzaID, isArchived ? nil : known.names.stanzaID),
        ] {
            guard let name else { continue }
            try connection.run(
                "INSERT OR IGNORE INTO suppressed (chat, kind, name, sender) VALUES (?1, ?2, ?3, ?4)", known.chat,
                kind.rawValue, name, known.sender)
        }
        hasSuppressed = true
    }
}
