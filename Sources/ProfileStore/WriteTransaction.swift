import Application
import Base
import Domain
import SQLCipherKit

/// What a body may write, and what is remembered until its commit: the changes for the feed, words to index, and how
/// pages of an archive are being placed.
final class WriteTransaction: ReadTransaction, StoreTransaction {
    let entropy: Entropy
    private var changes: [StoreChange] = []
    private var changedChats: [JID] = []
    private var isRosterChanged = false
    private var isOutboxChanged = false

    /// Texts to be indexed, by position; indexing in order of position is what FTS5 does best.
    var unindexed: [(position: Int64, text: String)] = []
    var order = MessageOrder()
    /// Whether anything at all is suppressed; nil until asked.
    var hasSuppressed: Bool?
    /// Whether any delivery came early; nil until asked.
    var hasEarly: Bool?

    init(connection: Connection, addresses: AddressBook, entropy: Entropy) {
        self.entropy = entropy
        super.init(connection: connection, addresses: addresses)
    }

    override func willSearch() throws(StorageError) { try indexTexts() }

    func note(_ change: StoreChange) {
        switch change {
        case .message, .delivery: changes.append(change)
        case .chat(let chat): if !changedChats.contains(chat) { changedChats.append(chat) }
        case .roster: isRosterChanged = true
        case .outbox: isOutboxChanged = true
        }
    }

    /// The last work before the commit.
    /// - Returns: messages and deliveries in the order they happened; then, once each, what is to be read anew.
    func finish() throws(Failure) -> [StoreChange] {
        try sql { () throws(StorageError) in try indexTexts() }
        return changes + changedChats.map { .chat($0) } + (isRosterChanged ? [.roster] : [])
            + (isOutboxChanged ? [.outbox] : [])
    }
}
