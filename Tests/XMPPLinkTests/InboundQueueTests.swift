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
        while case .take(let events, _, _)? = queue.takeNext() {
            sizes.append(events.count)
            all += events
        }
        #expect(sizes == [256, 256, 88])
        #expect(all == (try (0..<600).map(event)))
    }

    @Test("An acknowledgement keeps its place between events, and those in a row are one")
    func acknowledgements() throws {
        var queue = InboundQueue()
        queue.append(.event(try event(1)))
        queue.append(.acknowledged([try id(1)]))
        queue.append(.acknowledged([try id(2), try id(3)]))
        queue.append(.event(try event(2)))
        guard case .take(let first, nil, _)? = queue.takeNext(),
            case .acknowledge(let ids)? = queue.takeNext(), case .take(let second, nil, _)? = queue.takeNext()
        else {
            Issue.record("another order")
            return
        }
        #expect(first == [try event(1)])
        #expect(ids == (try (1...3).map(id)))
        #expect(second == [try event(2)])
        #expect(queue.takeNext() == nil)
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
