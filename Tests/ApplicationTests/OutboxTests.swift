import Application
import Base
import Domain
import Support
import Testing

/// Whatever happens on the way, one logical message (invariant 6).
struct OutboxTests {
    private func isSent(_ rig: SessionRig, _ id: MessageID) async -> Bool {
        await becomesTrue { rig.delivery(id) == .sent && rig.outbox.isEmpty }
    }

    @Test("A message written while offline is on the disk first and goes out once online")
    func offline() async throws {
        let rig = try SessionRig()
        await rig.session.start()
        let id = try await rig.send("hello")
        #expect(rig.delivery(id) == .queued)
        #expect(rig.outbox.map(\.id) == [id] && rig.server.deliveries.isEmpty)
        try await rig.session.connect()
        #expect(await isSent(rig, id))
        #expect(rig.server.deliveries == [id])
    }

    @Test("Sent is shown only when the acknowledgement is committed")
    func acknowledgement() async throws {
        let rig = try SessionRig()
        rig.server.setArchive(false)
        rig.server.answer(.acceptSilently)
        try await rig.online()
        let id = try await rig.send("hello")
        #expect(await becomesTrue { rig.server.deliveries == [id] })
        await letOthersRun()
        #expect(rig.delivery(id) == .queued)
        try await rig.link.acknowledge([id])
        #expect(rig.delivery(id) == .sent && rig.outbox.isEmpty)
    }

    @Test("A message to oneself is read once the server took it, and not before")
    func toOneself() async throws {
        let rig = try SessionRig()
        rig.server.setArchive(false)
        rig.server.answer(.acceptSilently)
        try await rig.online()
        let id = try await rig.send("a note", to: "romeo@example.org")
        #expect(await becomesTrue { rig.server.deliveries == [id] })
        await letOthersRun()
        #expect(rig.delivery(id) == .queued)
        try await rig.link.acknowledge([id])
        #expect(rig.delivery(id) == .read && rig.outbox.isEmpty)
    }

    @Test("Accepted with the answer lost: the archive has it, nothing is sent again")
    func answerLost() async throws {
        let rig = try SessionRig()
        rig.server.answer(.acceptSilently)
        try await rig.online()
        let id = try await rig.send("hello")
        #expect(await becomesTrue { rig.server.deliveries == [id] })
        await rig.link.breakStream()
        rig.server.answer(.acknowledge)
        try await rig.session.connect()
        #expect(await isSent(rig, id))
        #expect(rig.server.deliveries == [id])
        #expect(try rig.history().map(\.id) == [id])
    }

    @Test("Lost on the way: the archive does not have it, and the same envelope goes again")
    func lostOnTheWay() async throws {
        let rig = try SessionRig()
        rig.server.answerNext([.lose])
        try await rig.online()
        let id = try await rig.send("hello")
        #expect(await becomesTrue { await rig.link.unacknowledged == [id] })
        await rig.link.breakStream()
        try await rig.session.connect()
        #expect(await isSent(rig, id))
        #expect(rig.server.deliveries == [id])
        let envelopes = rig.server.envelopes(of: id)
        #expect(envelopes.count == 2 && envelopes[0] == envelopes[1])
    }

    @Test("A message at which the server ends every stream fails in the end, and holds up no other")
    func poison() async throws {
        let rig = try SessionRig()
        let poisonous = "tybalt@example.com"
        rig.server.dislike(try JID(poisonous))
        await rig.session.start()
        let poison = try await rig.send("far too long", to: poisonous)
        let others = [try await rig.send("one"), try await rig.send("two", to: "nurse@example.com")]
        let isOver = await becomesTrue {
            try? await rig.session.connect()
            return rig.delivery(poison) != .queued
        }
        #expect(isOver && rig.delivery(poison) == .failed(.messageRefused))
        try await rig.session.connect()
        for id in others { #expect(await isSent(rig, id)) }
        #expect(rig.server.deliveries == others)
        #expect(rig.server.envelopes(of: poison).count == 8)
        #expect(others.allSatisfy { rig.server.envelopes(of: $0).count == 1 })
    }

    @Test("A resumed stream settles by itself; the archive is not asked and nothing is submitted twice")
    func resumed() async throws {
        let rig = try SessionRig()
        rig.server.setResumes(true)
        rig.server.answerNext([.acceptSilently, .lose])
        try await rig.online()
        #expect(await becomesTrue { !rig.server.queries.isEmpty })
        let first = try await rig.send("one")
        let second = try await rig.send("two")
        #expect(await becomesTrue { await rig.link.unacknowledged.count == 2 })
        await rig.link.breakStream()
        try await rig.session.connect()
        let isFirstSent = await isSent(rig, first)
        let isSecondSent = await isSent(rig, second)
        #expect(isFirstSent && isSecondSent)
        #expect(rig.server.deliveries == [first, second])
        #expect(rig.server.envelopes(of: first).count == 1 && rig.server.envelopes(of: second).count == 1)
    }

    @Test(
        "A crash in the middle of a submission is settled by the next process",
        arguments: [FakeServer.Answer.acceptSilently, .lose])
    func crash(answer: FakeServer.Answer) async throws {
        let rig = try SessionRig()
        rig.server.answerNext([answer])
        try await rig.online()
        let id = try await rig.send("hello")
        #expect(await becomesTrue { await rig.link.unacknowledged == [id] })
        await rig.crash()
        #expect(rig.outbox.map(\.id) == [id])
        try await rig.session.connect()
        #expect(await isSent(rig, id))
        #expect(rig.server.deliveries == [id])
    }

    @Test("Without an archive an unknown outcome fails visibly, and a person's retry sends it")
    func noArchive() async throws {
        let rig = try SessionRig()
        rig.server.setArchive(false)
        rig.server.answerNext([.lose])
        try await rig.online()
        let id = try await rig.send("hello")
        #expect(await becomesTrue { await rig.link.unacknowledged == [id] })
        await rig.crash()
        try await rig.session.connect()
        #expect(await becomesTrue { rig.delivery(id) == .failed(.outcomeUnknown) })
        #expect(rig.outbox.isEmpty && rig.server.deliveries.isEmpty)
        try await rig.session.retry(id)
        #expect(await isSent(rig, id))
        #expect(rig.server.deliveries == [id])
    }

    @Test("An archive longer than the search's bound leaves the outcome unknown")
    func searchBound() async throws {
        let rig = try SessionRig()
        rig.server.setPageLimit(2)
        rig.server.answerNext([.lose])
        try await rig.online()
        let id = try await rig.send("hello")
        #expect(await becomesTrue { await rig.link.unacknowledged == [id] })
        await rig.crash()
        for number in 0..<50 { rig.server.archive("noise \(number)", from: try JID("nurse@example.com")) }
        try await rig.session.connect()
        #expect(await becomesTrue { rig.delivery(id) == .failed(.outcomeUnknown) })
        #expect(rig.server.deliveries.isEmpty)
    }

    @Test(
        "While settling, a page that times out is asked for once more, then the outcome stays unknown",
        arguments: [(1, Delivery.sent), (2, .failed(.outcomeUnknown))])
    func settlingTimesOut(timeouts: Int, end: Delivery) async throws {
        let rig = try SessionRig()
        rig.server.answerNext([.acceptSilently])
        rig.server.setArchive(false)
        try await rig.online()
        let id = try await rig.send("hello")
        #expect(await becomesTrue { await rig.link.unacknowledged == [id] })
        await rig.crash()
        rig.server.setArchive(true)
        rig.server.failNextPages(Array(repeating: Failure(.serverTimeout), count: timeouts))
        try await rig.session.connect()
        #expect(await becomesTrue { rig.delivery(id) == end && rig.outbox.isEmpty })
        #expect(rig.server.deliveries == [id])
    }

    @Test("While settling, a cursor that the server forgot is replaced by the time of submission")
    func settlingWithForgottenCursor() async throws {
        let rig = try SessionRig()
        rig.server.archive("before", from: try JID("nurse@example.com"))
        try await rig.online()
        #expect(await becomesTrue { rig.store.peek { (try? $0.cursor(of: .account)) != nil } })
        rig.server.answerNext([.lose])
        let id = try await rig.send("hello")
        #expect(await becomesTrue { await rig.link.unacknowledged == [id] })
        await rig.crash()
        rig.server.failNextPages([Failure(.serverRefused)])
        try await rig.session.connect()
        #expect(await isSent(rig, id))
        #expect(rig.server.deliveries == [id])
        let isByTime = rig.server.queries.contains { query in
            query.direction == .since(rig.clock.now.adding(milliseconds: -600_000))
        }
        #expect(isByTime)
    }

    @Test("While an outcome is open, later messages of that conversation wait and others go")
    func openOutcomeBlocksItsConversation() async throws {
        let rig = try SessionRig()
        rig.server.answerNext([.lose])
        try await rig.online()
        let first = try await rig.send("one")
        #expect(await becomesTrue { await rig.link.unacknowledged == [first] })
        await rig.crash()
        // The first two pages asked for time out, so that nothing is settled.
        rig.server.failNextPages([Failure(.netClosed)])
        let second = try await rig.send("two")
        let other = try await rig.send("elsewhere", to: "nurse@example.com")
        try await rig.session.connect()
        #expect(await isSentAlone(rig, other))
        #expect(!rig.server.deliveries.contains(first) && !rig.server.deliveries.contains(second))
        await rig.link.breakStream()
        try await rig.session.connect()
        #expect(await isSent(rig, second))
        #expect(rig.server.deliveries == [other, first, second])
    }

    private func isSentAlone(_ rig: SessionRig, _ id: MessageID) async -> Bool {
        await becomesTrue { rig.delivery(id) == .sent }
    }

    @Test("Acknowledgements may come in any order and more than once")
    func anyOrder() async throws {
        let rig = try SessionRig()
        rig.server.answer(.acceptSilently)
        try await rig.online()
        var ids: [MessageID] = []
        for number in 0..<5 { ids.append(try await rig.send("message \(number)")) }
        let sent = ids
        #expect(await becomesTrue { rig.server.deliveries == sent })
        for id in [ids[3], ids[0], ids[3], ids[4], ids[1], ids[0], ids[2]] { try await rig.link.acknowledge([id]) }
        #expect(rig.outbox.isEmpty)
        #expect(ids.allSatisfy { rig.delivery($0) == .sent })
        #expect(rig.server.deliveries == ids)
    }

    @Test("Carbons and archive copies of an own message add nothing, however often they come")
    func repeatedCarbons() async throws {
        let rig = try SessionRig()
        rig.server.answer(.acceptSilently)
        try await rig.online()
        let id = try await rig.send("hello")
        #expect(await becomesTrue { rig.server.deliveries == [id] })
        var carbon = InboundMessage(
            route: .carbonSent, from: try JID("romeo@example.org/desk"), to: try JID("juliet@example.com"))
        carbon.id = id.text
        carbon.originID = id.text
        carbon.body = "hello"
        carbon.archiveID = "a1"
        for _ in 0..<3 { try await rig.link.deliver([.message(carbon), .message(carbon)]) }
        #expect(await isSent(rig, id))
        #expect(try rig.history().map(\.id) == [id])
        try await rig.link.acknowledge([id])
        #expect(rig.delivery(id) == .sent)
    }

    @Test("Many sends at once are as many messages, each delivered once and in each chat's order")
    func concurrentSends() async throws {
        let rig = try SessionRig()
        try await rig.online()
        let chats = (0..<12).map { "friend\($0)@example.com" }
        let ids = try await withThrowingTaskGroup(of: (String, [MessageID]).self) { group in
            for chat in chats {
                group.addTask {
                    var ids: [MessageID] = []
                    for number in 0..<20 { ids.append(try await rig.send("\(number)", to: chat)) }
                    return (chat, ids)
                }
            }
            var all: [String: [MessageID]] = [:]
            for try await (chat, ids) in group { all[chat] = ids }
            return all
        }
        #expect(await becomesTrue { rig.outbox.isEmpty })
        #expect(rig.server.deliveries.count == 240 && Set(rig.server.deliveries).count == 240)
        for (chat, sent) in ids {
            let wanted = Set(sent)
            #expect(rig.server.deliveries.filter { wanted.contains($0) } == sent)
            #expect(try rig.history(chat).map(\.id) == sent)
        }
    }

    @Test("No more than eight conversations have messages on their way")
    func bound() async throws {
        let rig = try SessionRig()
        rig.server.setArchive(false)
        rig.server.answer(.acceptSilently)
        await rig.session.start()
        for number in 0..<20 { _ = try await rig.send("hello", to: "friend\(number)@example.com") }
        try await rig.session.connect()
        #expect(await becomesTrue { rig.server.deliveries.count == 8 })
        await letOthersRun()
        #expect(rig.server.deliveries.count == 8)
        try await rig.link.acknowledge([rig.server.deliveries[0]])
        #expect(await becomesTrue { rig.server.deliveries.count == 9 })
    }

    @Test("A permanent refusal fails the message, and later ones pass it")
    func refused() async throws {
        let rig = try SessionRig()
        rig.server.answerNext([.refuse(SendFailure(code: .messageRefused, isPermanent: true))])
        try await rig.online()
        let first = try await rig.send("one")
        #expect(await becomesTrue { rig.delivery(first) == .failed(.messageRefused) })
        let second = try await rig.send("two")
        #expect(await isSent(rig, second))
        #expect(rig.server.deliveries == [second])
    }

    @Test("A passing refusal is tried again later with the same bytes, and holds its conversation's order")
    func passingRefusal() async throws {
        let rig = try SessionRig()
        rig.server.answerNext([.refuse(SendFailure(code: .serverTimeout, isPermanent: false))])
        try await rig.online()
        let first = try await rig.send("one")
        #expect(await becomesTrue { rig.outbox.first?.state.isScheduled == true })
        let second = try await rig.send("two")
        await letOthersRun()
        #expect(rig.server.deliveries.isEmpty)
        #expect(await becomesTrue { rig.clock.sleepers > 0 })
        rig.clock.advance(milliseconds: 1000)
        #expect(await isSent(rig, second))
        #expect(rig.server.deliveries == [first, second])
        #expect(Set(rig.server.envelopes(of: first).map(\.payload)).count == 1)
    }

    @Test("A refusal of what the own server had taken shows, and one in another's name does not")
    func lateRefusal() async throws {
        let rig = try SessionRig()
        try await rig.online()
        let id = try await rig.send("hello")
        #expect(await isSent(rig, id))
        var refusal = InboundMessage(
            route: .live, from: try JID("mallory@example.net"), to: try JID("romeo@example.org"))
        refusal.id = id.text
        refusal.failure = SendFailure(code: .messageRefused, isPermanent: true)
        try await rig.link.deliver([.message(refusal)])
        #expect(rig.delivery(id) == .sent)
        refusal.from = try JID("juliet@example.com/balcony")
        try await rig.link.deliver([.message(refusal)])
        #expect(rig.delivery(id) == .failed(.messageRefused))
    }

    @Test("Nothing is stored where encryption is required and there is none")
    func encryptionRequired() async throws {
        let rig = try SessionRig(isPlain: false)
        await rig.session.start()
        await #expect(throws: Failure(.encryptionRequired)) { try await rig.send("hello") }
        #expect(rig.outbox.isEmpty)
        #expect(try rig.history().isEmpty)
        _ = try await rig.session.send(try MessageBody("hello"), to: try JID("juliet@example.com"), plain: true)
        #expect(rig.outbox.count == 1)
    }

    @Test("A full disk loses nothing: what was stored goes out when there is room again")
    func fullDisk() async throws {
        let rig = try SessionRig()
        await rig.session.start()
        let id = try await rig.send("before")
        rig.store.fail(with: Failure(.storageDiskFull))
        await #expect(throws: Failure(.storageDiskFull)) { try await rig.send("lost?") }
        try await rig.session.connect()
        #expect(await becomesTrue { rig.clock.sleepers > 0 })
        #expect(rig.server.deliveries.isEmpty)
        rig.store.fail(with: nil)
        rig.clock.advance(milliseconds: 5000)
        #expect(await isSent(rig, id))
        #expect(rig.server.deliveries == [id])
    }
}

extension OutboxState {
    fileprivate var isScheduled: Bool {
        switch self {
        case .retryScheduled: true
        case .preparing, .ready, .submitting, .blockedByIdentityChange: false
        }
    }
}
