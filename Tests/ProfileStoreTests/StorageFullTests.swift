import Application
import Base
import Domain
import SQLCipherKit
import Support
import Testing

@testable import ProfileStore

/// Invariant 11 where there is no room: an error with its code, everything as before, and on it goes once there is.
@Suite struct StorageFullTests {
    private let chat: JID
    private let fixture: StoreFixture

    init() async throws {
        chat = try JID("ann@one.example")
        fixture = try StoreFixture()
        await (try fixture.newStore()).close()
    }

    private func message(_ number: Int) throws -> NewMessage {
        NewMessage(
            chat: chat, from: chat, direction: .incoming,
            body: try MessageBody(String(repeating: "word ", count: 1000)),
            at: Timestamp(milliseconds: 0), security: .plaintext, id: "m\(number)", originID: nil, archiveID: nil,
            archive: .account, countsAsUnread: true)
    }

    /// A store whose database may grow by so many pages.
    private func store(growingBy pages: Int64) throws -> any ProfileStorePort {
        let connection = try fixture.connection(createsIfEmpty: false)
        try connection.execute("PRAGMA max_page_count=\(connection.pageCount() + pages)")
        return try openProfileStore(connection: connection, entropy: StoreFixture.entropy(seed: 3))
    }

    private func count(_ store: any ProfileStorePort) async throws -> Int {
        let chat = chat
        return try await store.read { (reader) throws(Failure) in
            try reader.messages(in: chat, before: nil, limit: 10_000).count
        }
    }

    @Test("A transaction that does not fit is undone wholly, and later ones work")
    func undone() async throws {
        let small = try store(growingBy: 20)
        var stored = 0
        var failure: Failure?
        while failure == nil, stored < 200 {
            let pair = [try message(2 * stored), try message(2 * stored + 1)]
            do {
                try await small.write { (transaction) throws(Failure) in
                    for message in pair { _ = try transaction.store(message) }
                }
                stored += 1
            } catch { failure = error }
        }
        #expect(failure == Failure(.storageFull))
        #expect(stored > 0)
        #expect(try await count(small) == 2 * stored)
        let unread = try await small.read { (reader) throws(Failure) in try reader.chats().map(\.unread) }
        #expect(unread == [2 * stored])
        await small.close()

        let roomy = try store(growingBy: 10_000)
        #expect(try await count(roomy) == 2 * stored)
        let again = try message(2 * stored)
        let outcome = try await roomy.write { (transaction) throws(Failure) in try transaction.store(again) }
        guard case .inserted = outcome else {
            Issue.record("what was undone is known")
            return
        }
        await roomy.close()
        try fixture.connection(createsIfEmpty: false).integrityCheck()
    }

    @Test("A body that swallows the error cannot commit the rest")
    func swallowed() async throws {
        let small = try store(growingBy: 5)
        let messages = try (0..<200).map(message)
        await #expect(throws: Failure(.storageFull)) {
            try await small.write { (transaction) throws(Failure) in
                for message in messages { _ = try? transaction.store(message) }
            }
        }
        #expect(try await count(small) == 0)
        await small.close()
    }
}
