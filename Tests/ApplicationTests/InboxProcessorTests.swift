import Application
import Base
import Domain
import Support
import Testing

struct InboxProcessorTests {
    private let own = "romeo@example.org"
    private let peer = "juliet@example.com"

    private func live(
        _ body: String?, id: String? = nil, from: String = "juliet@example.com/balcony",
        _ change: (inout InboundMessage) throws -> Void = { _ in }
    ) throws -> InboundEvent {
        var message = InboundMessage(route: .live, from: try JID(from), to: try JID("romeo@example.org/r1"))
        message.id = id
        message.body = body
        try change(&message)
        return .message(message)
    }

    private func contact(_ jid: String, _ subscription: Subscription = .both) throws -> InboundEvent {
        .rosterPush(
            RosterItem(jid: try JID(jid), name: nil, subscription: subscription, isAsking: false), removed: false,
            version: nil)
    }

    private func receipts(_ rig: SessionRig) async -> [String] {
        await rig.link.courtesies.compactMap { if case .receipt(let id, _) = $0 { id } else { nil } }
    }

    @Test("A live message is stored, counted unread and told to windows once it is committed")
    func live() async throws {
        let rig = try SessionRig()
        try await rig.online()
        try await rig.link.deliver([try live("hi", id: "m1")])
        let history = try rig.history()
        #expect(history.map { $0.body?.text } == ["hi"])
        #expect(history[0].direction == .incoming && history[0].security == .plaintext)
        #expect(try await rig.session.chats().map(\.unread) == [1])
        #expect(
            await becomesTrue {
                rig.events.events.contains {
                    if case .message(_, let message) = $0 { message.body?.text == "hi" } else { false }
                }
            })
    }

    @Test("The same message by live, carbon and archive is one message")
    func deduplication() async throws {
        let rig = try SessionRig()
        try await rig.online()
        for route in [InboundRoute.live, .carbonReceived, .archive(.account, id: "a7"), .live] {
            try await rig.link.deliver([
                try live("hi", id: "m1") {
                    $0.route = route
                    $0.archiveID = "a7"
                }
            ])
        }
        #expect(await becomesTrue { (try? rig.history().count) == 1 })
        await letOthersRun()
        #expect(try rig.history().count == 1)
    }

    @Test("Equal ids in different conversations are different messages")
    func idsOfOthers() async throws {
        let rig = try SessionRig()
        try await rig.online()
        try await rig.link.deliver([
            try live("from juliet", id: "m1"), try live("from nurse", id: "m1", from: "nurse@example.com/x"),
        ])
        #expect(try rig.history().count == 1)
        #expect(try rig.history("nurse@example.com").count == 1)
    }

    @Test("One batch is one transaction, and a huge one is cut so that none is above a megabyte")
    func transactions() async throws {
        let rig = try SessionRig()
        rig.server.setArchive(false)
        try await rig.online()
        let before = rig.store.transactions
        try await rig.link.deliver(try (0..<256).map { try live("text \($0)", id: "m\($0)") })
        #expect(rig.store.transactions == before + 1)
        let large = String(repeating: "x", count: 60_000)
        try await rig.link.deliver(try (0..<40).map { try live(large, id: "n\($0)") })
        #expect(rig.store.transactions == before + 4)
        #expect(try rig.history().count == 296)
    }

    @Test("When the disk fails the batch is refused whole, so that the stream is not acknowledged")
    func refusedBatch() async throws {
        let rig = try SessionRig()
        try await rig.online()
        let events = [try contact(peer), try live("hi", id: "m1") { $0.asksReceipt = true }]
        rig.store.fail(with: Failure(.storageFull))
        await #expect(throws: Failure(.storageFull)) { try await rig.link.deliver(events) }
        #expect(try rig.history().isEmpty)
        #expect(await receipts(rig).isEmpty)
        rig.store.fail(with: nil)
        try await rig.link.deliver(events)
        #expect(try rig.history().count == 1)
        #expect(await receipts(rig) == ["m1"])
    }

    @Test("Receipts answer live messages of contacts and of people we wrote to, nobody else, never an archive's")
    func receiptsOnlyForKnown() async throws {
        let rig = try SessionRig()
        try await rig.online()
        func ask(_ id: String, _ from: String, _ route: InboundRoute = .live) async throws {
            try await rig.link.deliver([
                try live("hi", id: id, from: from) {
                    $0.asksReceipt = true
                    $0.route = route
                }
            ])
        }
        try await ask("1", "stranger@example.net/x")
        #expect(await receipts(rig) == [])
        try await rig.link.deliver([try contact("nurse@example.com")])
        try await ask("2", "nurse@example.com/x")
        #expect(await receipts(rig) == ["2"])
        try await ask("3", "nurse@example.com/x", .archive(.account, id: "a1"))
        try await ask("4", "nurse@example.com/x", .carbonReceived)
        #expect(await receipts(rig) == ["2"])
        _ = try await rig.send("hello", to: "stranger@example.net")
        try await ask("5", "stranger@example.net/x")
        #expect(await receipts(rig) == ["2", "5"])
    }

    @Test("Receipts and markers raise deliveries, only of their own conversation, and also when they come early")
    func deliveries() async throws {
        let rig = try SessionRig()
        try await rig.online()
        let first = try await rig.send("one")
        let second = try await rig.send("two")
        #expect(await becomesTrue { rig.outbox.isEmpty })
        try await rig.link.deliver([try live(nil, from: "mallory@example.net/x") { $0.receiptFor = first.text }])
        #expect(rig.delivery(first) == .sent)
        try await rig.link.deliver([try live(nil) { $0.receiptFor = first.text }])
        #expect(rig.delivery(first) == .delivered && rig.delivery(second) == .sent)
        try await rig.link.deliver([try live(nil) { $0.displayedUpTo = second.text }])
        #expect(rig.delivery(first) == .read && rig.delivery(second) == .read)
        #expect(try rig.history().count == 2)
        // Sent from another device; its receipt is here before its carbon.
        try await rig.link.deliver([
            try live(nil) { $0.receiptFor = "elsewhere-1" },
            try live("from my desk", id: "elsewhere-1", from: "romeo@example.org/desk") {
                $0.route = .carbonSent
                $0.to = try JID(peer)
            },
        ])
        #expect(try rig.history().last?.delivery == .delivered)
    }

    @Test("A receipt proves that the server took it, also without an acknowledgement")
    func receiptSettles() async throws {
        let rig = try SessionRig()
        rig.server.answer(.acceptSilently)
        rig.server.setArchive(false)
        try await rig.online()
        let id = try await rig.send("hello")
        #expect(await becomesTrue { rig.server.deliveries == [id] })
        try await rig.link.deliver([try live(nil) { $0.receiptFor = id.text }])
        #expect(rig.delivery(id) == .delivered && rig.outbox.isEmpty)
    }

    @Test("What says it was sent by us or to us and was not is dropped")
    func forged() async throws {
        let rig = try SessionRig()
        try await rig.online()
        var batch: [InboundEvent] = []
        batch.append(try live("I am you", from: "mallory@example.net/x") { $0.route = .carbonSent })
        batch.append(try live("not for you") { $0.to = try JID("somebody@example.org") })
        batch.append(
            try live("not yours") {
                $0.route = .archive(.account, id: "a9")
                $0.to = try JID("somebody@example.org")
            })
        try await rig.link.deliver(batch)
        #expect(try await rig.session.chats().isEmpty)
    }

    @Test("What cannot be decrypted, or is too large, stays visible as that")
    func undecryptable() async throws {
        let rig = try SessionRig()
        try await rig.online()
        try await rig.link.deliver([
            try live("fallback text", id: "m1") {
                $0.envelope = Envelope(engine: "unknown/9", payload: [1], security: .omemo2)
            },
            try live(String(repeating: "x", count: MessageBody.limit + 1), id: "m2"), try live(" \n", id: "m3"),
        ])
        let history = try rig.history()
        #expect(history.map(\.security) == [.undecryptable, .undecryptable])
        #expect(history.allSatisfy { $0.body == nil })
    }

    @Test("A stamp from the future is now, one from the past is kept")
    func stamps() async throws {
        let rig = try SessionRig()
        try await rig.online()
        let past = rig.clock.now.adding(milliseconds: -86_400_000)
        try await rig.link.deliver([
            try live("late", id: "m1") { $0.stamp = past },
            try live("forged", id: "m2") { $0.stamp = Timestamp(milliseconds: .max) },
        ])
        #expect(try rig.history().map(\.at) == [past, rig.clock.now])
    }

    @Test("Presences are known while the stream lives, the most reachable device speaks, and a flood has a bound")
    func presences() async throws {
        let rig = try SessionRig()
        try await rig.online()
        try await rig.link.deliver([
            try contact(peer), .presence(try JID("juliet@example.com/a"), .away),
            .presence(try JID("juliet@example.com/b"), .online),
        ])
        #expect(try await rig.session.contacts().map(\.presence) == [.online])
        try await rig.link.deliver([.presence(try JID("juliet@example.com/b"), .offline)])
        #expect(try await rig.session.contacts().map(\.presence) == [.away])
        try await rig.link.deliver(try (1..<32).map { .presence(try JID("juliet@example.com/r\($0)"), .away) })
        try await rig.link.deliver([.presence(try JID("juliet@example.com/one-too-many"), .online)])
        #expect(try await rig.session.contacts().map(\.presence) == [.away])
        await rig.link.breakStream()
        #expect(try await rig.session.contacts().map(\.presence) == [.offline])
    }

    @Test("A resumed stream knows the presences of the one before, a new one knows none", arguments: [true, false])
    func presencesAcrossStreams(resumes: Bool) async throws {
        let rig = try SessionRig()
        rig.server.setResumes(resumes)
        try await rig.online()
        try await rig.link.deliver([try contact(peer), .presence(try JID("juliet@example.com/a"), .away)])
        await rig.link.breakStream()
        #expect(try await rig.session.contacts().map(\.presence) == [.offline])
        try await rig.session.connect()
        #expect(try await rig.session.contacts().map(\.presence) == [resumes ? .away : .offline])
    }

    @Test("Reading a chat answers with a marker once, and only people who may know")
    func markers() async throws {
        let rig = try SessionRig()
        try await rig.online()
        try await rig.link.deliver([
            try contact(peer), try live("hi", id: "m1") { $0.asksMarker = true },
            try live("psst", id: "m2", from: "stranger@example.net/x") { $0.asksMarker = true },
        ])
        for chat in [peer, peer, "stranger@example.net"] { try await rig.session.markSeen(try JID(chat)) }
        #expect(await rig.link.courtesies == [.displayed(id: "m1", to: try JID(peer))])
        #expect(try await rig.session.chats().allSatisfy { $0.unread == 0 })
    }

    @Test("A request to see us is told, and answered on a person's word only")
    func subscription() async throws {
        let rig = try SessionRig()
        try await rig.online()
        let jid = try JID(peer)
        try await rig.link.deliver([.subscriptionRequest(jid)])
        #expect(rig.events.events.contains(.subscription(rig.profile.settings.name, jid)))
        #expect(await rig.link.courtesies.isEmpty)
        try await rig.session.acceptContact(jid)
        #expect(await rig.link.courtesies == [.acceptSubscription(jid)])
    }

    @Test("A plain message cannot break out of its stanza, and what XML cannot carry is replaced")
    func plaintextEscapes() throws {
        let store = MemoryStore()
        let content = OutgoingContent(
            id: MessageID(entropy: .counting()), to: try JID(peer),
            body: try MessageBody("a</body><x y='1'>&amp;\u{1B}[2J\u{0}\r\u{FFFF}é"))
        let payload = try sealed(content, store)
        #expect(payload == "<body>a&lt;/body&gt;&lt;x y='1'&gt;&amp;amp;\u{FFFD}[2J\u{FFFD}&#13;\u{FFFD}é</body>")
    }

    private func sealed(_ content: OutgoingContent, _ store: MemoryStore) throws -> String {
        String(decoding: try store.transact { try PlaintextEngine().seal(content, in: $0) }.payload, as: UTF8.self)
    }
}
