import Application
import Base
import Domain

extension StoreLaw {
    static let storing: [StoreLaw] = [
        StoreLaw("Equal texts without any id are two messages") { store in
            let outcomes = try await store.storeAll([Cast.incoming("hello"), Cast.incoming("hello")])
            try same(outcomes.count { if case .inserted = $0 { true } else { false } }, 2)
            try same(try await store.texts(Cast.ann()), ["hello", "hello"])
            try same(try await store.unread(Cast.ann()), 2)
        },
        StoreLaw("The same archive id is the same message") { store in
            let outcomes = try await store.storeAll([
                Cast.incoming("hello", id: "a", archive: "s1"), Cast.incoming("hello", id: "other", archive: "s1"),
            ])
            try same(outcomes, [.inserted(try Cast.id("a")), .duplicate(try Cast.id("a"))])
            try same(try await store.unread(Cast.ann()), 1)
        },
        StoreLaw("The same origin-id of the same author is the same message, also under another archive id") { store in
            let outcomes = try await store.storeAll([
                Cast.incoming("hello", id: "a", origin: "o", archive: "s1"),
                Cast.incoming("hello", id: "b", origin: "o", archive: "s2"),
            ])
            try same(outcomes, [.inserted(try Cast.id("a")), .duplicate(try Cast.id("a"))])
        },
        StoreLaw("The same id of the same author with the same text is the same message") { store in
            let outcomes = try await store.storeAll([
                Cast.incoming("hello", id: "a"), Cast.incoming("hello", id: "a", archive: "s1"),
            ])
            try same(outcomes, [.inserted(try Cast.id("a")), .duplicate(try Cast.id("a"))])
        },
        StoreLaw("A client that counts its ids anew loses no message") { store in
            try await store.storeAll([
                Cast.incoming("first", id: "1", archive: "s1"), Cast.incoming("second", id: "1", archive: "s2"),
                Cast.incoming("second", id: "1", archive: "s2"),
            ])
            try same(try await store.texts(Cast.ann()), ["first", "second"])
        },
        StoreLaw("The same ids in two conversations are two messages") { store in
            let outcomes = try await store.storeAll([
                Cast.incoming("hello", id: "a", origin: "a"),
                Cast.incoming("hello", from: Cast.bob(), id: "a", origin: "a"),
            ])
            try same(outcomes.count { if case .inserted = $0 { true } else { false } }, 2)
            try same(try await store.texts(Cast.ann()), ["hello"])
            try same(try await store.texts(Cast.bob()), ["hello"])
        },
        StoreLaw("Our own message is not taken for the contact's of the same id") { store in
            try await store.enqueueOne(Cast.outgoing("mine", id: "a"))
            try await store.storeAll([Cast.incoming("theirs", id: "a", origin: "a")])
            try same(try await store.texts(Cast.ann()), ["mine", "theirs"])
        },
        StoreLaw("An unreadable message is completed by a readable copy") { store in
            try await store.storeAll([Cast.incoming(nil, id: "a"), Cast.incoming("hello", id: "a")])
            let message = try await store.read { (reader) throws(Failure) in
                try reader.messages(in: JID("ann@one.example"), before: nil, limit: 10)
            }
            try same(message.map { $0.body?.text }, ["hello"])
            try same(message.map(\.security), [.plaintext])
        },
        StoreLaw("Our own message coming back merges into its row and is at most sent") { store in
            let item = try await store.enqueueOne(Cast.outgoing("mine", id: "m"))
            let outcomes = try await store.storeAll([
                Cast.own("mine", id: "m"), Cast.own("mine", id: "m", archive: "s1"),
                Cast.own("mine", id: nil, archive: "s1"),
            ])
            try same(outcomes, [.duplicate(item.id), .duplicate(item.id), .duplicate(item.id)])
            try same(try await store.delivery(item.id), .sent)
        },
        StoreLaw("A copy of our message takes nothing away from it") { store in
            let item = try await store.enqueueOne(Cast.outgoing("mine", id: "m"))
            _ = try await store.write { (transaction) throws(Failure) in
                try transaction.advance(item.id, in: nil, to: .read)
            }
            try await store.storeAll([Cast.own("mine", id: "m", archive: "s1")])
            try same(try await store.delivery(item.id), .read)
        },
        StoreLaw("What our other device wrote is sent and reads as ours") { store in
            try await store.storeAll([Cast.own("from the phone", id: "p", archive: "s1")])
            try same(try await store.delivery(Cast.id("p")), .sent)
            try same(try await store.unread(Cast.ann()), 0)
            try same(
                try await store.read { (reader) throws(Failure) in try reader.hasOutgoing(in: JID("ann@one.example")) },
                true)
        },
        StoreLaw("A removed message stays removed, whichever way it comes back") { store in
            try await store.storeAll([
                Cast.incoming("gone", id: "a", origin: "o", archive: "s1"), Cast.incoming("stays", id: "b"),
            ])
            try await store.write { (transaction) throws(Failure) in
                try transaction.suppress(MessageID(text: "a") ?? MessageID(entropy: Entropy { _ in }))
            }
            try same(try await store.texts(Cast.ann()), ["stays"])
            let outcomes = try await store.storeAll([
                Cast.incoming("gone", id: "a", origin: "o"), Cast.incoming("gone", archive: "s1"),
                Cast.incoming("gone", from: Cast.bob(), id: "a", origin: "o"),
            ])
            try same(Array(outcomes.prefix(2)), [.suppressed, .suppressed])
            try same(try await store.texts(Cast.bob()), ["gone"])
            try await refuses(.messageMissing) {
                try await store.write { (transaction) throws(Failure) in
                    try transaction.suppress(MessageID(text: "a-missing") ?? MessageID(entropy: Entropy { _ in }))
                }
            }
        },
        StoreLaw("A body that throws stores nothing, and announces nothing") { store in
            try await refuses(.commandUsage) {
                try await store.write { (transaction) throws(Failure) in
                    _ = try transaction.store(
                        NewMessage(
                            chat: JID("ann@one.example"), from: JID("ann@one.example"), direction: .incoming,
                            body: MessageBody("lost"), at: Timestamp(milliseconds: 0), security: .plaintext, id: nil,
                            originID: nil, archiveID: nil, archive: .account, countsAsUnread: true))
                    throw Failure(.commandUsage)
                }
            }
            try same(try await store.texts(Cast.ann()), [])
            try await store.storeAll([Cast.incoming("kept")])
            var changes = store.changes.makeAsyncIterator()
            guard case .changes(let first) = await changes.next(), case .message(let message) = first.first else {
                throw LawBroken(description: "no change was announced")
            }
            try same(message.body?.text, "kept")
        },
        StoreLaw("Changes come once and in order, in portions of at most 64") { store in
            try await store.storeAll((0..<150).map { try Cast.incoming("\($0)") })
            var texts: [String] = []
            var changes = store.changes.makeAsyncIterator()
            while texts.count < 150, case .changes(let portion) = await changes.next() {
                try same(portion.count <= 64, true)
                for case .message(let message) in portion { texts.append(message.body?.text ?? "") }
            }
            try same(texts, (0..<150).map { "\($0)" })
        },
    ]
}
