import Application
import Base
import Domain

extension StoreLaw {
    private static let envelope = Envelope(engine: "plaintext/1", payload: [1, 2, 3], security: .plaintext)

    static let outbox: [StoreLaw] = [
        StoreLaw("A message and its outbox row are stored together") { store in
            let first = try await store.enqueueOne(Cast.outgoing("1", id: "m1"))
            let second = try await store.enqueueOne(Cast.outgoing("2", id: "m2", to: Cast.bob()))
            try same(second.sequence > first.sequence, true)
            try same(first.state, .preparing)
            try same(first.envelope, nil)
            let (items, count, one) = try await store.read { (reader) throws(Failure) in
                (try reader.outbox(limit: 10), try reader.outboxCount(), try reader.outboxItem(first.id))
            }
            try same(items, [first, second])
            try same(count, 2)
            try same(one, first)
            try same(try await store.texts(Cast.ann()), ["1"])
            try same(try await store.delivery(first.id), .queued)
        },
        StoreLaw("An outbox row keeps every state it is given") { store in
            var item = try await store.enqueueOne(Cast.outgoing("1", id: "m1"))
            let moment = Timestamp(milliseconds: 1_234)
            let states: [OutboxState] = [
                .ready, .submitting(since: moment), .retryScheduled(at: moment), .blockedByIdentityChange, .preparing,
            ]
            for state in states {
                item.state = state
                item.attempts += 1
                item.envelope = state == .preparing ? nil : envelope
                item.wasSubmitted.toggle()
                let changed = item
                let found = try await store.write { (transaction) throws(Failure) in
                    try transaction.update(changed)
                    return try transaction.outboxItem(changed.id)
                }
                try same(found, changed)
                let submitting = try await store.read { (reader) throws(Failure) in try reader.submitting() }
                try same(submitting, state == .submitting(since: moment) ? [changed.id] : [])
            }
            try await refuses(.messageMissing) {
                let missing = OutboxItem(
                    id: try Cast.id("none"), chat: try Cast.ann(), sequence: 1, state: .ready, attempts: 0,
                    envelope: nil, wasSubmitted: false)
                try await store.write { (transaction) throws(Failure) in try transaction.update(missing) }
            }
        },
        StoreLaw("A message taken out of the outbox stays in its chat, and sequences are never used again") { store in
            let first = try await store.enqueueOne(Cast.outgoing("1", id: "m1"))
            try await store.write { (transaction) throws(Failure) in try transaction.removeFromOutbox(first.id) }
            try same(try await store.texts(Cast.ann()), ["1"])
            let second = try await store.enqueueOne(Cast.outgoing("2", id: "m2"))
            try same(second.sequence > first.sequence, true)
        },
        StoreLaw("A retry sends the bytes that were sent before") { store in
            let first = try await store.enqueueOne(Cast.outgoing("1", id: "m1"))
            try await store.write { (transaction) throws(Failure) in
                var item = first
                item.envelope = envelope
                item.state = .submitting(since: Timestamp(milliseconds: 1))
                item.wasSubmitted = true
                try transaction.update(item)
                _ = try transaction.advance(first.id, in: nil, to: .failed(.outcomeUnknown))
                try transaction.removeFromOutbox(first.id)
            }
            try same(try await store.delivery(first.id), .failed(.outcomeUnknown))
            let again = try await store.write { (transaction) throws(Failure) in try transaction.retry(first.id) }
            try same(again.envelope, envelope)
            try same(again.wasSubmitted, true)
            try same(again.state, .ready)
            try same(again.sequence > first.sequence, true)
            try same(try await store.delivery(first.id), .queued)
            try await refuses(.messageMissing) {
                _ = try await store.write { (transaction) throws(Failure) in try transaction.retry(first.id) }
            }
        },
        StoreLaw("The outbox holds 10,000 messages and then refuses, with nothing stored") { store in
            try await store.write { (transaction) throws(Failure) in
                for number in 0..<10_000 {
                    _ = try transaction.enqueue(
                        Message(
                            id: MessageID(text: "m\(number)") ?? MessageID(entropy: Entropy { _ in }),
                            chat: JID("ann@one.example"), from: JID("me@one.example"), direction: .outgoing,
                            body: nil, at: Timestamp(milliseconds: 0), delivery: .queued, security: .plaintext))
                }
            }
            try await refuses(.outboxFull) {
                try await store.enqueueOne(Cast.outgoing("one too many", id: "last"))
            }
            try same(try await store.delivery(Cast.id("last")), nil)
        },
    ]

    static let deliveries: [StoreLaw] = [
        StoreLaw("A delivery only grows, and failed stays until a retry") { store in
            let item = try await store.enqueueOne(Cast.outgoing("1", id: "m1"))
            // Each news and what holds after it.
            let steps: [(news: Delivery, holds: Delivery)] = [
                (.queued, .queued), (.sent, .sent), (.queued, .sent), (.read, .read), (.delivered, .read),
                (.failed(.messageRefused), .read),
            ]
            for step in steps {
                let known = try await store.write { (transaction) throws(Failure) in
                    try transaction.advance(item.id, in: item.chat, to: step.news)
                }
                try same(known, true)
                try same(try await store.delivery(item.id), step.holds)
            }
            let failing = try await store.enqueueOne(Cast.outgoing("2", id: "m2"))
            for news in [Delivery.failed(.messageRefused), .read, .failed(.outcomeUnknown)] {
                _ = try await store.write { (transaction) throws(Failure) in
                    try transaction.advance(failing.id, in: nil, to: news)
                }
                try same(try await store.delivery(failing.id), .failed(.messageRefused))
            }
        },
        StoreLaw("Nobody brings a message of another conversation further") { store in
            let item = try await store.enqueueOne(Cast.outgoing("1", id: "m1"))
            let known = try await store.write { (transaction) throws(Failure) in
                [
                    try transaction.advance(item.id, in: JID("bob@two.example"), to: .read),
                    try transaction.advanceAll(upTo: item.id, in: JID("bob@two.example"), to: .read),
                ]
            }
            try same(known, [false, false])
            try same(try await store.delivery(item.id), .queued)
        },
        StoreLaw("A marker reaches every message before it that a server was given") { store in
            for number in 1...4 { try await store.enqueueOne(Cast.outgoing("\(number)", id: "m\(number)")) }
            try await store.write { (transaction) throws(Failure) in
                for number in [1, 3, 4] {
                    guard let id = MessageID(text: "m\(number)") else { continue }
                    _ = try transaction.advance(id, in: nil, to: .sent)
                    try transaction.removeFromOutbox(id)
                }
            }
            let third = try Cast.id("m3")
            let known = try await store.write { (transaction) throws(Failure) in
                try transaction.advanceAll(upTo: third, in: JID("ann@one.example/phone"), to: .read)
            }
            try same(known, true)
            let found = try await store.read { (reader) throws(Failure) in
                try reader.messages(in: JID("ann@one.example"), before: nil, limit: 10).map(\.delivery)
            }
            try same(found, [.read, .queued, .read, .sent])
        },
        StoreLaw("A receipt that comes before its message is applied when the message comes") { store in
            try await store.write { (transaction) throws(Failure) in
                try transaction.keepEarly(.delivered, for: "p1", in: JID("ann@one.example/x"))
                try transaction.keepEarly(.read, for: "p2", in: JID("ann@one.example"))
                try transaction.keepEarly(.read, for: "p3", in: JID("bob@two.example"))
            }
            try await store.storeAll([Cast.own("1", id: "p1")])
            try same(try await store.delivery(Cast.id("p1")), .delivered)
            try await store.storeAll([Cast.own("2", id: "p2"), Cast.own("3", id: "p3")])
            try same(try await store.delivery(Cast.id("p1")), .read)
            try same(try await store.delivery(Cast.id("p2")), .read)
            try same(try await store.delivery(Cast.id("p3")), .sent)
        },
        StoreLaw("Of early receipts the newest 1,000 are kept") { store in
            try await store.write { (transaction) throws(Failure) in
                for number in 1...1001 {
                    try transaction.keepEarly(.delivered, for: "p\(number)", in: JID("ann@one.example"))
                }
            }
            try await store.storeAll([Cast.own("1", id: "p1"), Cast.own("2", id: "p2"), Cast.own("3", id: "p1001")])
            try same(try await store.delivery(Cast.id("p1")), .sent)
            try same(try await store.delivery(Cast.id("p2")), .delivered)
            try same(try await store.delivery(Cast.id("p1001")), .delivered)
        },
        StoreLaw("The archive's id of our message is known, so that its copy without other names is none") { store in
            let item = try await store.enqueueOne(Cast.outgoing("1", id: "m1"))
            try await store.write { (transaction) throws(Failure) in
                try transaction.noteArchived(item.id, archiveID: "s1")
            }
            let outcomes = try await store.storeAll([Cast.own("1", id: nil, archive: "s1")])
            try same(outcomes, [.duplicate(item.id)])
        },
    ]
}
