import Base
import Domain
import SQLCipherKit

/// The table `addresses`: every address once, named by a number elsewhere. With a bounded memory of both directions.
final class AddressBook {
    private static let limit = 4096
    private let connection: Connection
    private var numbers: [JID: Int64] = [:]
    private var addresses: [Int64: JID] = [:]

    init(connection: Connection) { self.connection = connection }

    /// After a rollback: numbers given in it do not exist.
    func forget() {
        numbers.removeAll(keepingCapacity: true)
        addresses.removeAll(keepingCapacity: true)
    }

    /// The number of an address, nil if it was never stored.
    func number(of address: JID) throws(StorageError) -> Int64? {
        if let known = numbers[address] { return known }
        let number = try connection.first("SELECT id FROM addresses WHERE jid = ?1", address.addressText) { (row) in
            row.int64(0)
        }
        if let number { remember(address, number) }
        return number
    }

    /// The number of an address, given now if it has none.
    func numbered(_ address: JID) throws(StorageError) -> Int64 {
        if let known = try number(of: address) { return known }
        try connection.run("INSERT INTO addresses (jid) VALUES (?1)", address.addressText)
        let number = connection.lastInsertedRowID
        remember(address, number)
        return number
    }

    func address(_ number: Int64) throws(StorageError) -> JID {
        if let known = addresses[number] { return known }
        let text = try connection.first("SELECT jid FROM addresses WHERE id = ?1", number) { (row) in row.text(0) }
        guard let text else { throw StorageError(.storageDamaged) }
        do {
            let address = try JID(text)
            remember(address, number)
            return address
        } catch { throw StorageError(.storageDamaged) }
    }

    private func remember(_ address: JID, _ number: Int64) {
        if numbers.count >= Self.limit { forget() }
        numbers[address] = number
        addresses[number] = address
    }
}
