import Base
import Testing

@testable import XMPP

@Suite struct StreamManagementTests {
    @Test func `One request for acknowledgement is out at a time`() throws {
        let management = Driver()
        #expect(management.didSend([1], tag: StanzaTag(1)))
        #expect(!management.didSend([2], tag: StanzaTag(2)))
        #expect(try management.didReceiveCount(1) == [StanzaTag(1)])
        #expect(management.ask())
        #expect(!management.ask())
        #expect(try management.didReceiveCount(2) == [StanzaTag(2)])
        #expect(!management.ask())
    }

    @Test func `Stanzas without a tag are counted all the same`() throws {
        let management = Driver()
        _ = management.didSend([1], tag: nil)
        _ = management.didSend([2], tag: StanzaTag(2))
        _ = management.didSend([3], tag: nil)
        #expect(try management.didReceiveCount(2) == [StanzaTag(2)])
        #expect(management.value.queue.count == 1)
    }

    @Test func `A count of more than was sent, or one that goes back, ends the stream`() throws {
        let management = Driver()
        _ = management.didSend([1], tag: nil)
        #expect(throws: StreamFailure(.streamInvalid, .acknowledgedTooMany, answer: .undefinedCondition)) {
            try management.didReceiveCount(2)
        }
        #expect(try management.didReceiveCount(1).isEmpty)
        #expect(throws: StreamFailure(.streamInvalid, .acknowledgedBackwards, answer: .undefinedCondition)) {
            try management.didReceiveCount(0)
        }
    }

    @Test func `Counters go on from 2^32 minus 1 to 0`() throws {
        let session = ResumableSession(
            id: "x", address: try JID("a@b/c"), stream: 3, acknowledged: .max - 1, queue: [],
            handled: UInt64(UInt32.max))
        let management = Driver(resuming: session)
        for tag in 1...4 { _ = management.didSend([], tag: StanzaTag(UInt64(tag))) }
        #expect(try management.didReceiveCount(0) == [StanzaTag(1), StanzaTag(2)])
        #expect(try management.didReceiveCount(2) == [StanzaTag(3), StanzaTag(4)])
        #expect(management.inboundCount == UInt32.max)
        let mark = management.didReceiveStanza()
        _ = management.didHandle(through: mark)
        #expect(management.inboundCount == 0)
    }

    @Test func `What came is reported only when it is handled`() {
        let management = Driver()
        let first = management.didReceiveStanza()
        let second = management.didReceiveStanza()
        #expect(management.inboundCount == 0)
        // Nobody asked yet: handling is no reason to report.
        #expect(!management.didHandle(through: first))
        #expect(management.inboundCount == 1)
        management.didReceiveRequest()
        management.didReport()
        #expect(management.didHandle(through: second))
        #expect(management.inboundCount == 2)
        // An older mark does not turn the count back.
        #expect(!management.didHandle(through: first))
        #expect(management.inboundCount == 2)
    }

    @Test func `A mark of an earlier stream counts for nothing in the one that resumes it`() throws {
        let management = Driver()
        let handled = management.didReceiveStanza()
        let late = management.didReceiveStanza()
        _ = management.didHandle(through: handled)
        let resumed = Driver(resuming: management.value.session("x", address: try JID("a@b/c")))
        #expect(resumed.inboundCount == 1)
        _ = resumed.didReceiveStanza()
        #expect(!resumed.didHandle(through: late))
        #expect(resumed.inboundCount == 1)
    }
}

/// Management behind a reference: `#expect` takes no mutating calls.
private final class Driver {
    var value: StreamManagement
    init(resuming session: ResumableSession? = nil) { value = StreamManagement(resuming: session) }
    func didSend(_ bytes: [UInt8], tag: StanzaTag?) -> Bool { value.didSend(bytes, tag: tag) }
    func ask() -> Bool { value.ask() }
    func didReceiveCount(_ count: UInt32) throws -> [StanzaTag] { try value.didReceiveCount(count) }
    func didReceiveStanza() -> InboundMark { value.didReceiveStanza() }
    func didHandle(through mark: InboundMark) -> Bool { value.didHandle(through: mark) }
    func didReceiveRequest() { value.didReceiveRequest() }
    func didReport() { value.didReport() }
    var inboundCount: UInt32 { value.inboundCount }
}
