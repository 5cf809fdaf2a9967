import Application
import Base
import Domain

extension StoreLaw {
    static let order: [StoreLaw] = [
        StoreLaw("Messages stand in the order in which they came, whatever their stamps") { store in
            try await store.storeAll([
                Cast.incoming("1", at: 900), Cast.incoming("2", at: 100), Cast.incoming("3", at: 500),
            ])
            try same(try await store.texts(Cast.ann()), ["1", "2", "3"])
        },
        StoreLaw("A page is the newest before a message, oldest first") { store in
            try await store.storeAll((0..<10).map { try Cast.incoming("\($0)", id: "m\($0)") })
            try same(try await store.texts(Cast.ann(), limit: 3), ["7", "8", "9"])
            try same(try await store.texts(Cast.ann(), before: Cast.id("m7"), limit: 3), ["4", "5", "6"])
            try same(try await store.texts(Cast.ann(), before: Cast.id("m1"), limit: 3), ["0"])
            try same(try await store.texts(Cast.bob()), [])
            try await refuses(.messageMissing) { _ = try await store.texts(Cast.ann(), before: Cast.id("none")) }
            try await store.storeAll([Cast.incoming("elsewhere", from: Cast.bob(), id: "e")])
            try await refuses(.messageMissing) { _ = try await store.texts(Cast.ann(), before: Cast.id("e")) }
        },
        StoreLaw("Pages going back stand before what is there, each in its order") { store in
            try await store.storeAll([Cast.incoming("5", archive: "5"), Cast.incoming("6", archive: "6")])
            try await store.storeAll(["3", "4"].map { try Cast.incoming($0, archive: $0, placement: .olderPage) })
            try await store.storeAll(["1", "2"].map { try Cast.incoming($0, archive: $0, placement: .olderPage) })
            try same(try await store.texts(Cast.ann()), ["1", "2", "3", "4", "5", "6"])
        },
        StoreLaw("A page going back into an empty chat keeps its order") { store in
            try await store.storeAll(
                (1...3).map { try Cast.incoming("\($0)", archive: "\($0)", placement: .olderPage) })
            try same(try await store.texts(Cast.ann()), ["1", "2", "3"])
        },
        StoreLaw("The first page goes before a message that came in live and is in it") { store in
            try await store.storeAll([Cast.incoming("3", archive: "3")])
            try await store.storeAll(
                (1...5).map { try Cast.incoming("\($0)", archive: "\($0)", placement: .newerPage) })
            try same(try await store.texts(Cast.ann()), ["1", "2", "3", "4", "5"])
            let last = try await store.read { (reader) throws(Failure) in try reader.chats().first?.last?.body?.text }
            try same(last, "5")
        },
        StoreLaw("A page puts what is new around what was there") { store in
            try await store.storeAll([
                Cast.incoming("2", archive: "2"), Cast.incoming("4", archive: "4"), Cast.incoming("late"),
            ])
            try await store.storeAll(
                (1...5).map { try Cast.incoming("\($0)", archive: "\($0)", placement: .newerPage) })
            try same(try await store.texts(Cast.ann()), ["1", "2", "3", "4", "5", "late"])
        },
        StoreLaw("A message that is there keeps its place") { store in
            try await store.storeAll([Cast.incoming("2", archive: "2"), Cast.incoming("1", archive: "1")])
            try await store.storeAll(
                (1...2).map { try Cast.incoming("\($0)", archive: "\($0)", placement: .newerPage) })
            try same(try await store.texts(Cast.ann()), ["2", "1"])
        },
        StoreLaw("After an archive is restarted, older pages go between what was before and what came since") { store in
            try await store.storeAll([Cast.incoming("old", archive: "1")])
            try await store.write { (transaction) throws(Failure) in try transaction.restartArchive(.account) }
            try await store.storeAll([Cast.incoming("new", archive: "9", placement: .newerPage)])
            for page in [["7", "8"], ["5", "6"], ["3", "4"]] {
                try await store.storeAll(page.map { try Cast.incoming($0, archive: $0, placement: .olderPage) })
            }
            try same(try await store.texts(Cast.ann()), ["old", "3", "4", "5", "6", "7", "8", "new"])
        },
        StoreLaw("Chats come by newest activity; what a page going back brings is not new") { store in
            try await store.storeAll([Cast.incoming("a"), Cast.incoming("b", from: Cast.bob())])
            try await store.storeAll([Cast.incoming("older", archive: "o", placement: .olderPage, counts: false)])
            let chats = try await store.read { (reader) throws(Failure) in try reader.chats() }
            try same(chats.map(\.jid), [try Cast.bob(), try Cast.ann()])
            try same(chats.map { $0.last?.body?.text }, ["b", "a"])
            try same(chats.map(\.unread), [1, 1])
        },
    ]
}
