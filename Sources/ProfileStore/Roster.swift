import Application
import Base
import Domain
import SQLCipherKit

extension ReadTransaction {
    func roster() throws(Failure) -> [RosterItem] {
        try sql { () throws(StorageError) in
            try connection.rows(
                """
                SELECT address, name, subscription, is_asking FROM roster
                JOIN addresses ON addresses.id = roster.address ORDER BY jid
                """
            ) { (row) throws(StorageError) in
                RosterItem(
                    jid: try addresses.address(row.int64(0)), name: row.textOrNil(1),
                    subscription: try Subscription(number: row.int64(2)), isAsking: row.bool(3))
            }
        }
    }

    func rosterItem(_ jid: JID) throws(Failure) -> RosterItem? {
        try sql { () throws(StorageError) in
            guard let number = try addresses.number(of: jid.bare) else { return nil }
            return try connection.first("SELECT name, subscription, is_asking FROM roster WHERE address = ?1", number) {
                (row) throws(StorageError) in
                RosterItem(
                    jid: jid.bare, name: row.textOrNil(0), subscription: try Subscription(number: row.int64(1)),
                    isAsking: row.bool(2))
            }
        }
    }
}

extension WriteTransaction {
    func replaceRoster(_ items: [RosterItem], version: String?) throws(Failure) {
        try sql { () throws(StorageError) in
            let before = try chatNames()
            try connection.run("DELETE FROM roster")
            for item in items { try insert(item) }
            try noteNames(changedFrom: before)
            try didChange(version: version)
        }
    }

    func upsertRoster(_ item: RosterItem, version: String?) throws(Failure) {
        try sql { () throws(StorageError) in
            let before = try chatNames()
            try insert(item)
            try noteNames(changedFrom: before)
            try didChange(version: version)
        }
    }

    func removeFromRoster(_ jid: JID, version: String?) throws(Failure) {
        try sql { () throws(StorageError) in
            let before = try chatNames()
            if let number = try addresses.number(of: jid.bare) {
                try connection.run("DELETE FROM roster WHERE address = ?1", number)
            }
            try noteNames(changedFrom: before)
            try didChange(version: version)
        }
    }

    private func insert(_ item: RosterItem) throws(StorageError) {
        try connection.run(
            "INSERT OR REPLACE INTO roster (address, name, subscription, is_asking) VALUES (?1, ?2, ?3, ?4)",
            try addresses.numbered(item.jid.bare), item.name, item.subscription.number, item.isAsking)
    }

    private func didChange(version: String?) throws(StorageError) {
        try connection.set(.rosterVersion, to: version)
        note(.roster)
    }

    /// The names that chats have from the roster.
    private func chatNames() throws(StorageError) -> [Int64: String] {
        let named = try connection.rows(
            "SELECT address, name FROM chats JOIN roster USING (address) WHERE name IS NOT NULL"
        ) { (row) in (row.int64(0), row.text(1)) }
        return Dictionary(uniqueKeysWithValues: named)
    }

    private func noteNames(changedFrom before: [Int64: String]) throws(StorageError) {
        let after = try chatNames()
        for chat in Set(before.keys).union(after.keys).sorted() where before[chat] != after[chat] {
            note(.chat(try addresses.address(chat)))
        }
    }
}
