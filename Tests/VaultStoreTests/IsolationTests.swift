import Application
import Base
import Domain
import Testing

@testable import VaultStore

extension VaultStoreTests {
    /// Two cells of one space and a third in the other space, all with the same names for different things.
    @Suite struct IsolationTests {
        private let friend = "friend@example.org"
        private let sameID = "same-id"
        private let words = "common words of"

        /// One of the three profiles, and what its texts end with.
        private struct Owner {
            let passcode: String
            let name: String
            var mark: String { "\(passcode) \(name)" }
        }
        private let owners = [
            Owner(passcode: "outer", name: "one"), Owner(passcode: "outer", name: "two"),
            Owner(passcode: "inner", name: "one"),
        ]

        @Test("Equal message ids, origin-ids, archive ids, addresses and words of three profiles stay three profiles'")
        func equalNames() async throws {
            let disk = try await VaultOnDisk.withBoth(slices: 30)
            var ids: [ProfileID] = []
            for owner in owners {
                let space = try await disk.open(owner.passcode)
                let profile = try await space.addProfile(
                    ProfileSettings(name: ProfileName(owner.name), jid: JID("me@example.org")),
                    password: secret(owner.mark))
                ids.append(profile.id)
                await space.close()
            }
            for (owner, id) in zip(owners, ids) {
                try await with(owner, id, on: disk) { store in try await fill(store, owner) }
            }
            // What is taken away in one stays in the others.
            try await with(owners[0], ids[0], on: disk) { store in
                try await store.write { (transaction) throws(Failure) in
                    try transaction.markRead(JID(friend))
                    try transaction.suppress(id("incoming"))
                    try transaction.removeFromRoster(JID(friend), version: nil)
                    try transaction.removeFromOutbox(id(sameID))
                }
            }
            try await with(owners[0], ids[0], on: disk) { store in
                let (texts, count, waiting, unread) = try await store.read { (reader) throws(Failure) in
                    (
                        try reader.messages(in: JID(friend), before: nil, limit: 10).map { $0.body?.text ?? "" },
                        try reader.search(words, limit: 10).count, try reader.outboxCount(),
                        try reader.chats().map(\.unread)
                    )
                }
                #expect(texts == ["\(words) \(owners[0].mark), out"])
                #expect(count == 1 && waiting == 0 && unread == [0])
            }
            for (owner, id) in zip(owners, ids).dropFirst() {
                try await with(owner, id, on: disk) { store in try await expectAll(of: owner, in: store) }
            }
            // Gone with its profile is nothing of the other's in the same space, nor in the other space.
            let space = try await disk.open("outer")
            _ = try await space.removeProfile(ids[0])
            await space.close()
            for (owner, id) in zip(owners, ids).dropFirst() {
                try await with(owner, id, on: disk) { store in try await expectAll(of: owner, in: store) }
            }
        }

        @Test("Two profiles open at once in one space write the same ids beside each other, and neither sees the other")
        func atOnce() async throws {
            let disk = try VaultOnDisk.made(slices: 30)
            let space = try await disk.open("outer")
            var stores: [any ProfileStorePort] = []
            for owner in owners.prefix(2) {
                let profile = try await space.addProfile(
                    ProfileSettings(name: ProfileName(owner.name), jid: JID("me@example.org")),
                    password: secret(owner.mark))
                stores.append(try await space.openProfile(profile.id))
            }
            for (store, owner) in zip(stores, owners) { try await fill(store, owner) }
            for (store, owner) in zip(stores, owners) { try await expectAll(of: owner, in: store) }
            for store in stores { await store.close() }
            await space.close()
        }

        /// The profile opened in a process of its own.
        private func with(
            _ owner: Owner, _ id: ProfileID, on disk: VaultOnDisk, _ body: (any ProfileStorePort) async throws -> Void
        ) async throws {
            let space = try await disk.open(owner.passcode)
            let store = try await space.openProfile(id)
            try await body(store)
            await store.close()
            await space.close()
        }

        private func id(_ text: String) throws(Failure) -> MessageID {
            guard let id = MessageID(text: text) else { throw Failure(.internalFault) }
            return id
        }

        private func fill(_ store: any ProfileStorePort, _ owner: Owner) async throws {
            let me = try JID("me@example.org")
            let chat = try JID(friend)
            let body = "\(words) \(owner.mark)"
            try await store.write { (transaction) throws(Failure) in
                _ = try transaction.enqueue(
                    Message(
                        id: id(sameID), chat: chat, from: me, direction: .outgoing, body: MessageBody(body + ", out"),
                        at: Timestamp(milliseconds: 1), delivery: .queued, security: .plaintext))
                let outcome = try transaction.store(
                    NewMessage(
                        chat: chat, from: chat, direction: .incoming, body: MessageBody(body + ", in"),
                        at: Timestamp(milliseconds: 2), security: .plaintext, id: "incoming", originID: "origin",
                        archiveID: "archived", archive: .account, countsAsUnread: true))
                guard case .inserted = outcome else { throw Failure(.internalFault) }
                try transaction.replaceRoster(
                    [RosterItem(jid: chat, name: owner.mark, subscription: .both, isAsking: false)],
                    version: owner.mark)
                try transaction.setCursor(
                    ArchiveCursor(newest: "archived", oldest: owner.mark, isComplete: false), of: .account)
            }
        }

        private func expectAll(of owner: Owner, in store: any ProfileStorePort) async throws {
            let chat = try JID(friend)
            let expected = ["\(words) \(owner.mark), out", "\(words) \(owner.mark), in"]
            try await store.read { (reader) throws(Failure) in
                #expect(try reader.messages(in: chat, before: nil, limit: 10).map { $0.body?.text } == expected)
                #expect(Set(try reader.search(words, limit: 10).map { $0.body?.text }) == Set(expected))
                #expect(try reader.message(id(sameID))?.body?.text == expected[0])
                #expect(try reader.message(id("incoming"))?.body?.text == expected[1])
                #expect(try reader.outbox(limit: 10).map(\.id) == [id(sameID)])
                #expect(try reader.chats().map(\.unread) == [1])
                #expect(try reader.rosterItem(chat)?.name == owner.mark)
                #expect(try reader.rosterVersion() == owner.mark)
                #expect(try reader.cursor(of: .account)?.oldest == owner.mark)
                let isOwn = try reader.password().bytes.equals(secret(owner.mark))
                #expect(isOwn)
            }
        }
    }
}
