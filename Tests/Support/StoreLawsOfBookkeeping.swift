import Application
import Base
import Domain

extension StoreLaw {
    static let bookkeeping: [StoreLaw] = [
        StoreLaw("The password is kept as it was given") { store in
            let bytes: [UInt8] = [0xC3, 0xA4, 0x00, 0x20, 0x27, 0x22]
            let before = try await store.read { (reader) throws(Failure) in try reader.password() }
            try same(before.bytes.withUnsafeBytes { Array($0) }, Array("secret".utf8))
            try await store.write { (transaction) throws(Failure) in
                let password = SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }
                try transaction.setPassword(password)
            }
            let after = try await store.read { (reader) throws(Failure) in try reader.password() }
            try same(after.bytes.withUnsafeBytes { Array($0) }, bytes)
        },
        StoreLaw("The resource is always the same one") { store in
            let resources = [
                try await store.read { (reader) throws(Failure) in try reader.resource() },
                try await store.read { (reader) throws(Failure) in try reader.resource() },
            ]
            try same(resources[0].utf8.count, 8)
            try same(resources[0], resources[1])
        },
        StoreLaw("Reading a chat settles its unread count and its marker") { store in
            try await store.storeAll([
                Cast.incoming("1", id: "a", marker: true), Cast.incoming("2", id: "b", marker: true),
                Cast.incoming("3", id: "c"), Cast.incoming("4", id: "d", counts: false),
            ])
            let chat = try Cast.ann()
            try same(try await store.unread(chat), 3)
            try same(
                try await store.unmarked(chat), try Cast.id("b"))
            try await store.write { (transaction) throws(Failure) in try transaction.markRead(chat) }
            try same(try await store.unread(chat), 0)
            try same(try await store.unmarked(chat), nil)
            try await store.storeAll([Cast.incoming("5", id: "e", marker: true)])
            try same(
                try await store.unmarked(chat), try Cast.id("e"))
        },
        StoreLaw("A chat that was opened is in the list, first, once") { store in
            try await store.storeAll([Cast.incoming("1")])
            for _ in 0..<2 {
                try await store.write { (transaction) throws(Failure) in
                    try transaction.openChat(JID("bob@two.example/phone"))
                }
            }
            let chats = try await store.read { (reader) throws(Failure) in try reader.chats() }
            try same(chats.map(\.jid), [try Cast.bob(), try Cast.ann()])
            try same(chats[0].last, nil)
            try same(chats[0].unread, 0)
        },
        StoreLaw("A chat we ever wrote in is known as such, however much came since; another is not") { store in
            try await store.enqueueOne(Cast.outgoing("long ago", id: "first"))
            for start in stride(from: 0, to: 600, by: 200) {
                try await store.storeAll((start..<(start + 200)).map { try Cast.incoming("\($0)", id: "in\($0)") })
            }
            try await store.storeAll([Cast.incoming("unasked", from: Cast.bob(), id: "b")])
            let (ann, bob) = (try Cast.ann(), try Cast.bob())
            let found = try await store.read { (reader) throws(Failure) in
                [
                    try reader.hasOutgoing(in: ann), try reader.hasOutgoing(in: bob),
                    try reader.hasOutgoing(in: JID("nobody@one.example")),
                ]
            }
            try same(found, [true, false, false])
        },
        StoreLaw("The roster is replaced, changed and versioned; chats have its names") { store in
            try await store.storeAll([Cast.incoming("1")])
            let ann = RosterItem(jid: try Cast.ann(), name: "Ann", subscription: .both, isAsking: false)
            let bob = RosterItem(jid: try Cast.bob(), name: nil, subscription: .none, isAsking: true)
            try await store.write { (transaction) throws(Failure) in
                try transaction.replaceRoster([bob, ann], version: "v1")
            }
            var found = try await store.read { (reader) throws(Failure) in
                (try reader.roster(), try reader.rosterVersion(), try reader.chats().first?.name)
            }
            try same(found.0, [ann, bob])
            let one = try await store.read { (reader) throws(Failure) in
                [try reader.rosterItem(bob.jid), try reader.rosterItem(JID("nobody@one.example"))]
            }
            try same(one, [bob, nil])
            try same(found.1, "v1")
            try same(found.2, "Ann")
            let renamed = RosterItem(jid: try Cast.ann(), name: "Anna", subscription: .to, isAsking: false)
            try await store.write { (transaction) throws(Failure) in
                try transaction.upsertRoster(renamed, version: "v2")
                try transaction.removeFromRoster(bob.jid, version: nil)
            }
            found = try await store.read { (reader) throws(Failure) in
                (try reader.roster(), try reader.rosterVersion(), try reader.chats().first?.name)
            }
            try same(found.0, [renamed])
            let single = try await store.read { (reader) throws(Failure) in
                [try reader.rosterItem(renamed.jid), try reader.rosterItem(bob.jid)]
            }
            try same(single, [renamed, nil])
            try same(found.1, nil)
            try same(found.2, "Anna")
        },
        StoreLaw("Each archive has a cursor of its own, which a restart forgets") { store in
            let room = ArchiveName.room(try JID("room@rooms.example"))
            let cursor = ArchiveCursor(
                newest: "n", oldest: "o", isComplete: false, newestAt: Timestamp(milliseconds: 5))
            let end = ArchiveCursor(newest: nil, oldest: nil, isComplete: true)
            try await store.write { (transaction) throws(Failure) in
                try transaction.setCursor(cursor, of: .account)
                try transaction.setCursor(end, of: room)
            }
            var found = try await store.read { (reader) throws(Failure) in
                [try reader.cursor(of: .account), try reader.cursor(of: room)]
            }
            try same(found, [cursor, end])
            try await store.write { (transaction) throws(Failure) in try transaction.restartArchive(.account) }
            found = try await store.read { (reader) throws(Failure) in
                [try reader.cursor(of: .account), try reader.cursor(of: room)]
            }
            try same(found, [nil, end])
        },
        StoreLaw("Search finds beginnings of all words, newest first, without case and accents") { store in
            try await store.storeAll([
                Cast.incoming("The Café is open", at: 1), Cast.incoming("cafeteria, open late", at: 2),
                Cast.incoming("decaf open", at: 3), Cast.incoming("Ёлка и ёж", at: 4),
            ])
            let tables: [(query: String, found: [String])] = [
                ("caf", ["cafeteria, open late", "The Café is open"]),
                ("OPEN CAFÉ", ["cafeteria, open late", "The Café is open"]),
                ("late caf", ["cafeteria, open late"]), ("ёлк", ["Ёлка и ёж"]), ("missing", []), ("", []), ("  ", []),
            ]
            for (query, expected) in tables {
                let found = try await store.read { (reader) throws(Failure) in
                    try reader.search(query, limit: 10).map { $0.body?.text ?? "" }
                }
                try same(found, expected)
            }
            let one = try await store.read { (reader) throws(Failure) in try reader.search("open", limit: 1) }
            try same(one.map { $0.body?.text }, ["decaf open"])
        },
        StoreLaw("Nothing in a search is syntax") { store in
            try await store.storeAll([Cast.incoming("NEAR and \"far\" OR not body: x")])
            for query in [
                "\"", "\"\"", "*", "near*", "(", ")", "body:", "body : x", "NEAR(", "near OR", "-far", "^near", "a AND",
                "{body} : far", "'; --", "far\u{0}", "+ +", "NOT",
            ] {
                _ = try await store.read { (reader) throws(Failure) in try reader.search(query, limit: 10) }
            }
            for query in ["\"far\"", "OR", "NOT", "near*", "body:x"] {
                let found = try await store.read { (reader) throws(Failure) in try reader.search(query, limit: 10) }
                try same(found.count, 1)
            }
        },
        StoreLaw("After closing nothing is answered, and the changes end") { store in
            try await store.storeAll([Cast.incoming("1")])
            await store.close()
            await store.close()
            try await refuses(.sessionEnded) { _ = try await store.texts(Cast.ann()) }
            try await refuses(.sessionEnded) { try await store.storeAll([Cast.incoming("2")]) }
            var count = 0
            for await _ in store.changes { count += 1 }
            try same(count, 1)
        },
    ]
}
