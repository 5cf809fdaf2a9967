import Application
import Base
import Domain
import Support
import Testing

struct ArchiveSyncTests {
    private let peer = "juliet@example.com"

    private func fill(_ rig: SessionRig, _ numbers: Range<Int>) throws {
        for number in numbers {
            rig.server.archive("text \(number)", from: try JID(peer), id: "m\(number)")
        }
    }

    private func isCaughtUp(_ rig: SessionRig, to newest: String) async -> Bool {
        await becomesTrue { rig.store.peek { try? $0.cursor(of: .account)?.newest } == newest }
    }

    private func bodies(_ rig: SessionRig) throws -> [String] { try rig.history().compactMap { $0.body?.text } }

    @Test("The first time only the last page is read, and it counts as read")
    func firstTime() async throws {
        let rig = try SessionRig()
        try fill(rig, 0..<600)
        rig.clock.advance(milliseconds: 1)
        try await rig.online()
        #expect(await isCaughtUp(rig, to: "a600"))
        #expect(try bodies(rig) == (350..<600).map { "text \($0)" })
        #expect(rig.server.queries.map(\.direction) == [.last])
        #expect(try await rig.session.chats().map(\.unread) == [0])
        await letOthersRun()
        #expect(!rig.events.events.contains { if case .message = $0 { true } else { false } })
    }

    @Test("What comes while the first page is read is news, also when the page has it first")
    func newsInFirstPage() async throws {
        let rig = try SessionRig()
        try fill(rig, 0..<3)
        rig.clock.advance(milliseconds: 1000)
        await rig.link.holdPages()
        try await rig.online()
        #expect(await becomesTrue { await rig.link.waitingPages == 1 })
        try fill(rig, 3..<5)
        // Sent long ago and kept for us by the server: it comes live, and the page has it as well.
        var late = InboundMessage(route: .live, from: try JID(peer), to: rig.server.account)
        late.id = "m2"
        late.archiveID = "a3"
        late.body = "text 2"
        late.stamp = rig.clock.now.adding(milliseconds: -1000)
        try await rig.link.deliver([.message(late)])
        #expect(try bodies(rig).isEmpty)
        await rig.link.releasePages()
        #expect(await isCaughtUp(rig, to: "a5"))
        #expect(await becomesTrue { (try? await rig.session.chats().map(\.unread)) == [3] })
        #expect(try bodies(rig) == (0..<5).map { "text \($0)" })
        #expect(
            await becomesTrue { rig.events.events.count { if case .message = $0 { true } else { false } } == 3 })
    }

    @Test("Later times go forward from the cursor, and everything since is there once, in order and unread")
    func laterTimes() async throws {
        let rig = try SessionRig()
        try fill(rig, 0..<10)
        rig.clock.advance(milliseconds: 1)
        try await rig.online()
        #expect(await isCaughtUp(rig, to: "a10"))
        await rig.crash()
        try fill(rig, 10..<900)
        try await rig.session.connect()
        #expect(await isCaughtUp(rig, to: "a900"))
        #expect(try bodies(rig) == (0..<900).map { "text \($0)" })
        #expect(
            rig.server.queries.map(\.direction) == [
                .last, .after("a10"), .after("a260"), .after("a510"), .after("a760"),
            ])
        #expect(try await rig.session.chats().map(\.unread) == [890])
        #expect(
            await becomesTrue { rig.events.events.count { if case .message = $0 { true } else { false } } == 890 })
    }

    @Test("A stream that breaks in the middle goes on after the last committed page")
    func interrupted() async throws {
        let rig = try SessionRig()
        try fill(rig, 0..<1)
        try await rig.online()
        #expect(await isCaughtUp(rig, to: "a1"))
        try fill(rig, 1..<700)
        rig.server.setPageLimit(100)
        await rig.link.breakStream()
        rig.server.failNextPages([])
        try await rig.session.connect()
        #expect(await becomesTrue { rig.server.queries.count >= 4 })
        await rig.crash()
        let done = rig.store.peek { try? $0.cursor(of: .account)?.newest } ?? nil
        try await rig.session.connect()
        #expect(await isCaughtUp(rig, to: "a700"))
        #expect(rig.server.queries.contains { $0.direction == .after(done ?? "") })
        #expect(try bodies(rig) == (0..<700).map { "text \($0)" })
    }

    @Test("A page that times out is asked for once more; after that the pass waits 20 s")
    func timeouts() async throws {
        let rig = try SessionRig()
        try fill(rig, 0..<5)
        rig.server.failNextPages([Failure(.serverTimeout), Failure(.serverTimeout)])
        try await rig.online()
        #expect(await becomesTrue { rig.server.queries.count == 2 && rig.clock.sleepers > 0 })
        #expect(try bodies(rig).isEmpty)
        rig.clock.advance(milliseconds: 20_000)
        #expect(await isCaughtUp(rig, to: "a5"))
    }

    @Test("A cursor that the server forgot is replaced by its time, with overlap and without doubles")
    func expired() async throws {
        let rig = try SessionRig()
        try fill(rig, 0..<5)
        try await rig.online()
        #expect(await isCaughtUp(rig, to: "a5"))
        let stamp = rig.clock.now
        rig.clock.advance(milliseconds: 3_600_000)
        await rig.crash()
        try fill(rig, 5..<8)
        rig.server.failNextPages([Failure(.serverRefused)])
        try await rig.session.connect()
        #expect(await isCaughtUp(rig, to: "a8"))
        #expect(rig.server.queries.last?.direction == .since(stamp.adding(milliseconds: -60_000)))
        #expect(try bodies(rig) == (0..<8).map { "text \($0)" })
    }

    @Test("Messages that arrive live while the archive is read are there once, and after what is older")
    func liveMeanwhile() async throws {
        let rig = try SessionRig()
        try fill(rig, 0..<1)
        try await rig.online()
        #expect(await isCaughtUp(rig, to: "a1"))
        await rig.crash()
        try fill(rig, 1..<400)
        rig.server.setPageLimit(20)
        await rig.link.holdPages()
        try await rig.session.connect()
        for number in [200, 398, 399] {
            var message = InboundMessage(route: .live, from: try JID(peer), to: rig.server.account)
            message.id = "m\(number)"
            message.archiveID = "a\(number + 1)"
            message.body = "text \(number)"
            try await rig.link.deliver([.message(message)])
        }
        await rig.link.releasePages()
        #expect(await isCaughtUp(rig, to: "a400"))
        #expect(await becomesTrue { (try? rig.history().count) == 400 })
        #expect(try bodies(rig) == (0..<400).map { "text \($0)" })
    }

    @Test("More live messages than are held come from the archive, and all are there once")
    func overflow() async throws {
        let rig = try SessionRig()
        let friends = try (0..<20).map { try JID("friend\($0)@example.com") }
        rig.server.archive("text 0", from: friends[0], id: "m0")
        try await rig.online()
        #expect(await isCaughtUp(rig, to: "a1"))
        await rig.crash()
        for number in 1..<1300 { rig.server.archive("text \(number)", from: friends[number % 20], id: "m\(number)") }
        await rig.link.holdPages()
        try await rig.session.connect()
        let live = (100..<1300).map { number in
            var message = InboundMessage(route: .live, from: friends[number % 20], to: rig.server.account)
            message.id = "m\(number)"
            message.archiveID = "a\(number + 1)"
            message.body = "text \(number)"
            return InboundEvent.message(message)
        }
        for start in stride(from: 0, to: live.count, by: 200) {
            try await rig.link.deliver(Array(live[start..<start + 200]))
        }
        await rig.link.releasePages()
        #expect(await isCaughtUp(rig, to: "a1300"))
        for (index, friend) in friends.enumerated() {
            let expected = stride(from: index, to: 1300, by: 20).map { "text \($0)" }
            #expect(
                await becomesTrue { (try? rig.history(friend.addressText).compactMap { $0.body?.text }) == expected })
        }
    }

    private func live(_ number: Int, to account: JID) throws -> InboundEvent {
        var message = InboundMessage(route: .live, from: try JID(peer), to: account)
        message.id = "m\(number)"
        message.archiveID = "a\(number + 1)"
        message.body = "text \(number)"
        return .message(message)
    }

    @Test("What a resumed stream brings beyond the bound of what is held comes from the archive")
    func overflowOfAResumedStream() async throws {
        let rig = try SessionRig()
        rig.server.setResumes(true)
        try fill(rig, 0..<1)
        try await rig.online()
        #expect(await isCaughtUp(rig, to: "a1"))
        await rig.link.breakStream()
        try fill(rig, 1..<1300)
        await rig.link.bringAtOpening(try (1..<1300).map { try live($0, to: rig.server.account) })
        try await rig.session.connect()
        #expect(await isCaughtUp(rig, to: "a1300"))
        #expect(await becomesTrue { (try? bodies(rig)) == (0..<1300).map { "text \($0)" } })
    }

    @Test("A disk that fails when held messages are stored does not keep later ones waiting")
    func failingDiskAfterHolding() async throws {
        let rig = try SessionRig()
        rig.server.setResumes(true)
        try fill(rig, 0..<1)
        try await rig.online()
        #expect(await isCaughtUp(rig, to: "a1"))
        await rig.link.breakStream()
        try fill(rig, 1..<2)
        await rig.link.bringAtOpening([try live(1, to: rig.server.account)])
        rig.store.fail(with: Failure(.storageFull))
        let asked = rig.server.queries.count
        try await rig.session.connect()
        #expect(await becomesTrue { rig.server.queries.count > asked })
        rig.store.fail(with: nil)
        try await rig.link.deliver([try live(2, to: rig.server.account)])
        #expect(await becomesTrue { (try? bodies(rig).contains("text 2")) == true })
        #expect(
            await becomesTrue {
                rig.clock.advance(milliseconds: 20_000)
                return (try? Set(bodies(rig))) == ["text 0", "text 1", "text 2"]
            })
    }

    @Test("What waits while the archive is read is stored when the stream ends before")
    func heldAtTheEnd() async throws {
        let rig = try SessionRig()
        rig.server.failNextPages([Failure(.serverTimeout), Failure(.serverTimeout)])
        try fill(rig, 0..<3)
        try await rig.online()
        var message = InboundMessage(route: .live, from: try JID(peer), to: rig.server.account)
        message.id = "m2"
        message.archiveID = "a3"
        message.body = "text 2"
        try await rig.link.deliver([.message(message)])
        await rig.link.breakStream()
        #expect(try bodies(rig) == ["text 2"])
    }

    @Test("Scrolling back reads older pages from the server's own position until the beginning")
    func older() async throws {
        let rig = try SessionRig()
        try fill(rig, 0..<10)
        for number in 0..<250 { rig.server.archive("noise \(number)", from: try JID("nurse@example.com")) }
        try fill(rig, 10..<20)
        rig.clock.advance(milliseconds: 1)
        rig.server.setPageLimit(100)
        try await rig.online()
        #expect(await isCaughtUp(rig, to: "a270"))
        #expect(try bodies(rig).count == 10)
        let chat = try JID(peer)
        #expect(try await rig.session.loadOlder(of: chat) == false)
        #expect(try bodies(rig) == (0..<20).map { "text \($0)" })
        #expect(try await rig.session.chats().allSatisfy { $0.unread == 0 })
        let asked = rig.server.queries.count
        #expect(try await rig.session.loadOlder(of: chat) == false)
        #expect(rig.server.queries.count == asked)
        await rig.session.close()
    }

    @Test("A disk that fails during a page leaves the cursor where it was")
    func failingDisk() async throws {
        let rig = try SessionRig()
        try fill(rig, 0..<5)
        await rig.session.start()
        rig.store.fail(with: Failure(.storageFull))
        try await rig.session.connect()
        #expect(await becomesTrue { !rig.server.queries.isEmpty && rig.clock.sleepers > 0 })
        #expect(rig.store.peek { try? $0.cursor(of: .account) } == nil)
        rig.store.fail(with: nil)
        rig.clock.advance(milliseconds: 20_000)
        #expect(await isCaughtUp(rig, to: "a5"))
        #expect(try bodies(rig).count == 5)
    }
}
