import Base
import Domain
import Testing
import XMPP

@testable import XMPPLink

@Suite struct InboundQueueTests {
    private func event(_ number: Int) throws -> InboundEvent {
        .presence(try JID("a\(number)@xmpp.test"), .online)
    }

    private func id(_ number: Int) throws -> MessageID { try #require(MessageID(text: "m\(number)")) }

    @Test("Events go out in order, at most 256 at once")
    func batches() throws {
        var queue = InboundQueue()
        for number in 0..<600 { queue.append(.event(try event(number))) }
        var sizes: [Int] = []
        var all: [InboundEvent] = []
        while let work = queue.takeNext() {
            sizes.append(work.events.count)
            all += work.events
        }
        #expect(sizes == [256, 256, 88])
        #expect(all == (try (0..<600).map(event)))
    }

    @Test("An acknowledgement keeps its place between events, in one call with them")
    func acknowledgements() throws {
        var queue = InboundQueue()
        let events: [InboundEvent] = [
            try event(1), .acknowledged([try id(1)]), .acknowledged([try id(2), try id(3)]), try event(2),
        ]
        for event in events { queue.append(.event(event)) }
        #expect(queue.takeNext()?.events == events)
        #expect(queue.takeNext()?.events == nil)
    }

    @Test("After a flood the next events may come together, until they are a batch; a conversation never waits")
    func patience() throws {
        var queue = InboundQueue()
        for number in 0..<15 { queue.append(.event(try event(number))) }
        let few = queue.takeNext()
        #expect(few != nil && few?.patience == nil)
        for number in 0..<16 { queue.append(.event(try event(number))) }
        let many = queue.takeNext()
        #expect(many?.patience == .milliseconds(30))
        for number in 0..<255 { queue.append(.event(try event(number))) }
        #expect(!queue.isBatch)
        queue.append(.event(try event(255)))
        #expect(queue.isBatch)
    }

    @Test("It says when it is long and when it is short again")
    func lengths() throws {
        var queue = InboundQueue()
        #expect(queue.isShort)
        for number in 0..<1100 { queue.append(.event(try event(number))) }
        #expect(queue.isLong)
        var taken = 0
        while !queue.isShort, queue.takeNext() != nil { taken += 1 }
        #expect(taken == 4)
        #expect(!queue.isLong)
    }
}
