package import Application
package import Base
import Domain
import Foundation

/// A profile's memory in arrays and dictionaries, as plainly as the port can be read: the model that the real store is
/// compared with, and a stand-in for tests of what uses a store.
package actor MemoryProfileStore: ProfileStorePort {
    private var content: MemoryContent
    private let continuation: AsyncStream<StoreChanges>.Continuation
    package nonisolated let changes: AsyncStream<StoreChanges>
    private var isOpen = true
    /// What the next writing transactions fail with instead of committing, first to last.
    private var failures: [ErrorCode] = []

    package init(password: String = "secret", resource: String = "resource") {
        content = MemoryContent(password: Array(password.utf8), resource: resource)
        (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    /// Lets one writing transaction, the next that is not promised a failure yet, fail at its commit.
    package func fail(with code: ErrorCode) { failures.append(code) }

    package func read<Value: Sendable>(
        _ body: @Sendable (any StoreReader) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard isOpen else { throw Failure(.sessionEnded) }
        return try body(MemoryTransaction(content))
    }

    package func write<Value: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard isOpen else { throw Failure(.sessionEnded) }
        let transaction = MemoryTransaction(content)
        let value = try body(transaction)
        if !failures.isEmpty { throw Failure(failures.removeFirst()) }
        content = transaction.content
        let changes = transaction.finish()
        for start in stride(from: 0, to: changes.count, by: 64) {
            continuation.yield(.changes(Array(changes[start..<min(start + 64, changes.count)])))
        }
        return value
    }

    package func checkpoint() async throws(Failure) {
        guard isOpen else { throw Failure(.sessionEnded) }
    }

    package func close() async {
        isOpen = false
        continuation.finish()
    }
}

/// Everything that is stored.
struct MemoryContent {
    struct Record {
        var message: Message
        var stanzaID: String?
        var originID: String?
        var archiveID: String?
        /// Archives that were restarted after this message was stored.
        var before: Set<ArchiveName> = []
        var asksMarker = false
    }
    struct Chat {
        var unread = 0
        var records: [Record] = []
        var marked: MessageID?
        var isWritten = false
        var activity = 0
    }
    struct Early {
        let chat: JID
        let id: String
        var delivery: Delivery
    }
    struct Removed: Hashable {
        let chat: JID
        let kind: String
        let name: String
        let sender: JID?
    }
    var password: [UInt8]
    let resource: String
    var chats: [JID: Chat] = [:]
    var outbox: [OutboxItem] = []
    var shelf: [MessageID: OutboxItem] = [:]
    var sequence: Int64 = 0
    var roster: [JID: RosterItem] = [:]
    var rosterVersion: String?
    var cursors: [ArchiveName: ArchiveCursor] = [:]
    var early: [Early] = []
    var removed: Set<Removed> = []
    var generated = 0
    var clock = 0

    init(password: [UInt8], resource: String) {
        self.password = password
        self.resource = resource
    }
}
