import Application
import Base
import Domain
import Foundation
import SQLCipherKit
import Support
import Testing

@testable import ProfileStore

@Suite struct OpeningTests {
    @Test("A database is made once and never made anew in place of one that is there")
    func madeOnce() async throws {
        let fixture = try StoreFixture()
        await (try fixture.newStore()).close()
        #expect(throws: Failure(.storageDamaged)) { _ = try fixture.newStore() }
    }

    @Test("An empty database is no profile")
    func empty() throws {
        let fixture = try StoreFixture()
        try fixture.connection().close()
        #expect(throws: Failure(.storageDamaged)) {
            _ = try openProfileStore(connection: fixture.connection(), entropy: StoreFixture.entropy(seed: 1))
        }
    }

    @Test("A database of a newer program is refused and left as it is")
    func newer() async throws {
        let fixture = try StoreFixture()
        await (try fixture.newStore()).close()
        let connection = try fixture.connection(createsIfEmpty: false)
        let version = Schema.migrations.newest + 1
        try connection.execute("PRAGMA user_version=\(version)")
        try connection.close()
        #expect(throws: Failure(.storageVersion)) { _ = try fixture.openStore() }
        #expect(try fixture.connection(createsIfEmpty: false).userVersion() == version)
    }

    @Test(
        "A page of a chat, the chat list and a name are found through an index",
        arguments: [
            (
                "SELECT id FROM messages WHERE chat = 1 AND position < 9 ORDER BY position DESC LIMIT 60",
                "messages_by_chat"
            ),
            ("SELECT id FROM messages WHERE chat = 1 AND archive_id = 'a'", "messages_by_archive_id"),
            ("SELECT id FROM messages WHERE chat = 1 AND origin_id = 'a'", "messages_by_origin_id"),
            ("SELECT id FROM messages WHERE chat = 1 AND stanza_id = 'a'", "messages_by_stanza_id"),
            (
                "SELECT id FROM messages WHERE chat = 1 AND position < 9 AND delivery < 3 ORDER BY position DESC LIMIT 9",
                "messages_on_their_way"
            ),
        ])
    func plans(query: String, index: String) throws {
        let connection = try StoreFixture().connection()
        try Schema.migrations.migrate(connection)
        let plan = try connection.rows("EXPLAIN QUERY PLAN \(query)") { (row) in row.text(3) }
        #expect(plan.count == 1 && plan[0].contains("INDEX \(index) ("), "\(plan)")
    }

    @Test("A database frozen at version 1 opens and has what was in it")
    func frozen() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: Checkout.fixtures + "/databases/profile-1.db", toPath: folder.file("profile.db"))
        let key = StoreFixture.testKey()
        let salt = StoreFixture.testSalt()
        let store = try openProfileStore(
            connection: try Connection(.file(folder.file("profile.db")), key: key, salt: salt),
            entropy: StoreFixture.entropy(seed: 1))
        let ann = try JID("ann@one.example")
        let bob = try JID("bob@two.example")
        let chats = try await store.read { (reader) throws(Failure) in try reader.chats() }
        #expect(chats.map(\.jid) == [bob, ann])
        #expect(chats.map(\.unread) == [0, 1])
        #expect(chats.map(\.name) == [nil, "Ann"])
        let messages = try await store.read { (reader) throws(Failure) in
            try reader.messages(in: JID("ann@one.example"), before: nil, limit: 10)
        }
        #expect(messages.map { $0.body?.text } == ["older", "Zażółć gęślą jaźń 👩‍🚀", "sent", "failed"])
        #expect(messages.map(\.delivery) == [nil, nil, .read, .failed(.outcomeUnknown)])
        #expect(messages.map(\.at.milliseconds) == [1_700_000_000_001, 1_700_000_000_002, 3, 4])
        let waiting = try await store.read { (reader) throws(Failure) in try reader.outbox(limit: 10) }
        #expect(waiting.map(\.state) == [.submitting(since: Timestamp(milliseconds: 5))])
        #expect(waiting.first?.envelope?.payload == Array("<body>waiting</body>".utf8))
        let (resource, password, cursor, version) = try await store.read { (reader) throws(Failure) in
            (
                try reader.resource(), try reader.password(), try reader.cursor(of: .account),
                try reader.rosterVersion()
            )
        }
        #expect(resource == "frozen01")
        #expect(password.bytes.withUnsafeBytes { Array($0) } == Array("frozen secret".utf8))
        #expect(
            cursor
                == ArchiveCursor(
                    newest: "s2", oldest: "s1", isComplete: true, newestAt: Timestamp(milliseconds: 1_700_000_000_002)))
        #expect(version == "v7")
        let found = try await store.read { (reader) throws(Failure) in try reader.search("zazolc", limit: 5) }
        #expect(found.isEmpty, "ł is a letter of its own")
        let one = try await store.read { (reader) throws(Failure) in try reader.search("ges", limit: 5) }
        #expect(one.map { $0.body?.text } == ["Zażółć gęślą jaźń 👩‍🚀"])
        let outcomes = try await store.write { (transaction) throws(Failure) in
            [
                try transaction.store(
                    NewMessage(
                        chat: bob, from: bob, direction: .incoming, body: MessageBody("gone"),
                        at: Timestamp(milliseconds: 0), security: .plaintext, id: "x", originID: "x", archiveID: nil,
                        archive: .account, countsAsUnread: true)),
                try transaction.store(
                    NewMessage(
                        chat: bob, from: JID("me@one.example"), direction: .outgoing, body: MessageBody("early"),
                        at: Timestamp(milliseconds: 0), security: .plaintext, id: "e", originID: "e", archiveID: nil,
                        archive: .account, countsAsUnread: false)),
            ]
        }
        #expect(outcomes.first == .suppressed)
        let early = try await store.read { (reader) throws(Failure) in
            try reader.messages(in: JID("bob@two.example"), before: nil, limit: 10).last?.delivery
        }
        #expect(early == .delivered)
        let retried = try await store.write { (transaction) throws(Failure) in
            guard let id = MessageID(text: "m2") else { throw Failure(.internalFault) }
            return try transaction.retry(id)
        }
        #expect(retried.envelope?.payload == Array("<body>failed</body>".utf8))
        #expect(retried.wasSubmitted)
        await store.close()
    }
}
