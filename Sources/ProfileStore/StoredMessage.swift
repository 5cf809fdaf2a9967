import Base
import Domain
import SQLCipherKit

/// A message as a query of `messages` brings it.
struct StoredMessage {
    /// The columns `init` reads, in its order, from column 0 on.
    static let columns = """
        messages.position, messages.id, messages.chat, messages.sender, messages.direction, messages.body, messages.at, \
        messages.security, messages.delivery, messages.failure
        """
    static let columnCount: Int32 = 10

    let position: Int64
    let message: Message

    init(_ row: borrowing Row, _ addresses: AddressBook) throws(StorageError) {
        position = row.int64(0)
        let delivery: Delivery? =
            if let number = row.int64OrNil(8) { try Delivery(number: number, failure: row.textOrNil(9)) } else { nil }
        message = Message(
            id: try MessageID(stored: row.text(1)), chat: try addresses.address(row.int64(2)),
            from: try addresses.address(row.int64(3)), direction: try Direction(number: row.int64(4)),
            body: try MessageBody(stored: row.textOrNil(5)), at: Timestamp(milliseconds: row.int64(6)),
            delivery: delivery, security: try Security(number: row.int64(7)))
    }
}
