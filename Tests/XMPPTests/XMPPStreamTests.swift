// Length: one stream's life from its first byte, in order.
import Base
import Foundation
import Testing

@testable import XMPP

@Suite struct XMPPStreamTests {
    private typealias Driver = StreamDriver

    @Test func `The count that the server is told covers what was handled and no more`() throws {
        let driver = try Driver.established()
        let first = driver.receive("<message id='1'/>")
        let second = driver.receive("<message id='2'/><message from='@' id='3'/>")
        driver.receive("<r xmlns='urn:xmpp:sm:3'/>")
        #expect(driver.output() == "<a xmlns='urn:xmpp:sm:3' h='0'/>")
        guard case .stanza(_, let one) = first.first, case .unusable(let three) = second.last else {
            Issue.record("no stanza")
            return
        }
        driver.didHandle(one)
        #expect(driver.output() == "<a xmlns='urn:xmpp:sm:3' h='1'/>")
        driver.didHandle(three)
        #expect(driver.output() == "<a xmlns='urn:xmpp:sm:3' h='3'/>")
    }

    @Test func `Acknowledgements come home with their tags, and a wrong count ends the stream`() throws {
        let driver = try Driver.established()
        driver.send(Element("message", Namespace.client), tag: 1)
        #expect(driver.output() == "<message/><r xmlns='urn:xmpp:sm:3'/>")
        driver.send(Element("message", Namespace.client), tag: 2)
        #expect(driver.output() == "<message/>")
        #expect(driver.receive("<a xmlns='urn:xmpp:sm:3' h='1'/>") == [.acknowledged([StanzaTag(1)])])
        #expect(driver.output() == "<r xmlns='urn:xmpp:sm:3'/>")
        #expect(driver.unacknowledged == [StanzaTag(2)])
        let failure = StreamFailure(.streamInvalid, .acknowledgedTooMany, answer: .undefinedCondition)
        #expect(driver.receive("<a xmlns='urn:xmpp:sm:3' h='3'/>") == [.ended(failure)])
        #expect(driver.output().contains("<undefined-condition "))
    }

    @Test func `A resumed stream sends again what was not taken, under the same bytes`() throws {
        let old = try Driver.established()
        for tag in 1...3 { old.send(MessageStanza(id: "m\(tag)", to: nil, body: "b").element, tag: UInt64(tag)) }
        guard case .stanza(_, let mark) = old.receive("<message/>").first else { return }
        old.didHandle(mark)
        old.receive("<message/>")
        old.stream.didDisconnect()
        let session = try #require(old.resumableSession)
        #expect(old.unacknowledged == [StanzaTag(1), StanzaTag(2), StanzaTag(3)])

        let driver = try Driver.resuming(session)
        #expect(driver.output() == "<resume xmlns='urn:xmpp:sm:3' h='1' previd='res-1'/>")
        let actions = driver.receive("<resumed xmlns='urn:xmpp:sm:3' h='1' previd='res-1'/>")
        let ready = StreamReady(
            address: try JID("user@example.org/res"), isResumed: true, isManaged: true, isResumable: true,
            hasRosterVersions: true)
        #expect(actions == [.acknowledged([StanzaTag(1)]), .ready(ready)])
        let again = driver.output()
        #expect(
            again
                == "<message type='chat' id='m2'><body>b</body></message><message type='chat' id='m3'><body>b</body></message><r xmlns='urn:xmpp:sm:3'/>"
        )
        // What was on its way in the old stream is no mark of the new one.
        driver.didHandle(mark)
        driver.receive("<message/><r xmlns='urn:xmpp:sm:3'/>")
        #expect(driver.output() == "<a xmlns='urn:xmpp:sm:3' h='1'/>")
    }

    @Test func `A stream that is gone gives back what is acknowledged, then binds`() throws {
        let old = try Driver.established()
        for tag in 1...3 { old.send(Element("message", Namespace.client), tag: UInt64(tag)) }
        old.stream.didDisconnect()
        let session = old.resumableSession
        for (answer, expected) in [
            ("h='2'", [StreamAction.acknowledged([StanzaTag(1), StanzaTag(2)])]),
            ("", []),
            // A count that cannot be is no news.
            ("h='9'", []),
        ] {
            let driver = try Driver.resuming(session)
            let actions = driver.receive(
                "<failed xmlns='urn:xmpp:sm:3' \(answer)><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></failed>"
            )
            #expect(actions == expected)
            driver.bound()
            guard case .ready(let ready) = driver.receive(Driver.enabled).last else {
                Issue.record("not ready")
                continue
            }
            #expect(!ready.isResumed)
            // What is left is this stream's own.
            #expect(driver.unacknowledged == [])
            driver.stream.didDisconnect()
            #expect(driver.unacknowledged == [])
        }
    }

    @Test func `A server without management cannot resume, and says nothing of what it took`() throws {
        let old = try Driver.established()
        old.send(Element("message", Namespace.client), tag: 1)
        old.stream.didDisconnect()
        let driver = try Driver.resuming(old.resumableSession, features: Driver.bindWithoutManagement)
        #expect(driver.output().contains("<bind "))
        driver.stream.didDisconnect()
        #expect(driver.resumableSession == nil)
    }

    @Test func `After our end tag nothing is sent`() throws {
        for text in ["<r xmlns='urn:xmpp:sm:3'/>", "<x", "</stream:stream>", "<stream:error/>", "\u{1}"] {
            let driver = try Driver.established()
            driver.send(Element("message", Namespace.client), tag: 1)
            driver.close()
            _ = driver.output()
            driver.receive(text)
            driver.receive("<a xmlns='urn:xmpp:sm:3' h='1'/>")
            #expect(driver.output().isEmpty, "\(text)")
        }
    }

    @Test func `A stream broken before its resumption was answered can still be resumed`() throws {
        let old = try Driver.established()
        old.send(Element("message", Namespace.client), tag: 1)
        old.stream.didDisconnect()
        let session = old.resumableSession
        let driver = try Driver(resumption: session)
        driver.start()
        driver.receive(Driver.header)
        driver.stream.didDisconnect()
        #expect(driver.unacknowledged == [StanzaTag(1)])
    }

    @Test(arguments: [
        "<resumed xmlns='urn:xmpp:sm:3' h='1' previd='another'/>", "<resumed xmlns='urn:xmpp:sm:3' previd='res-1'/>",
        "<resumed xmlns='urn:xmpp:sm:3' h='-1' previd='res-1'/>",
        "<resumed xmlns='urn:xmpp:sm:3' h='2' previd='res-1'/>",
        "<resumed xmlns='urn:xmpp:sm:3' h='4294967295' previd='res-1'/>", "<enabled xmlns='urn:xmpp:sm:3'/>",
        "<message/>", "<stream:features/>", "<!-- -->",
    ])
    func `A server that answers a resumption with nonsense is not asked for it again`(answer: String) throws {
        let old = try Driver.established()
        old.send(Element("message", Namespace.client), tag: 1)
        old.stream.didDisconnect()
        let driver = try Driver.resuming(old.resumableSession)
        guard case .ended(let failure?) = driver.receive(answer).last else {
            Issue.record("goes on after \(answer)")
            return
        }
        #expect(failure.code == .streamInvalid)
        driver.stream.didDisconnect()
        #expect(driver.resumableSession == nil)
    }

    @Test(arguments: [
        "", "</stream:stream>",
        "<stream:error><internal-server-error xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>",
    ])
    func `A server that ends the stream whenever it is to resume another is asked twice`(answer: String) throws {
        var driver = try Driver.established()
        driver.stream.didDisconnect()
        for attempt in 1...2 {
            let session = try #require(driver.resumableSession, "attempt \(attempt)")
            driver = try Driver.resuming(session)
            #expect(driver.output().hasPrefix("<resume "))
            driver.receive(answer)
            driver.stream.didDisconnect()
        }
        #expect(driver.resumableSession == nil)
    }

    @Test func `A stream that we end with an error is not resumed`() throws {
        let driver = try Driver.established()
        driver.receive("<!-- -->")
        driver.stream.didDisconnect()
        #expect(driver.resumableSession == nil)
    }

    @Test func `A stream closed in order cannot be resumed, and tells what it has handled`() throws {
        let driver = try Driver.established()
        guard case .stanza(_, let mark) = driver.receive("<message/>").first else { return }
        driver.didHandle(mark)
        driver.close()
        #expect(driver.output() == "<a xmlns='urn:xmpp:sm:3' h='1'/></stream:stream>")
        #expect(driver.resumableSession == nil)
        #expect(driver.send(Element("message", Namespace.client)).isEmpty)
        #expect(driver.receive("<message/></stream:stream>").last == .ended(nil))
        #expect(driver.resumableSession == nil)
    }

    @Test(arguments: [
        (
            "<stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>",
            StreamFailure(.streamConflict, .replaced)
        ),
        (
            "<stream:error><system-shutdown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>",
            StreamFailure(.streamError, .serverShutdown)
        ),
        (
            "<stream:error><policy-violation xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>",
            StreamFailure(.streamError, .streamError)
        ),
        ("<message xmlns='jabber:server'/>", StreamFailure(.streamInvalid, .wrongNamespace, answer: .invalidNamespace)),
        ("<a xmlns='urn:xmpp:sm:3'/>", StreamFailure(.streamInvalid, .unexpectedElement, answer: .badFormat)),
        ("<!DOCTYPE x>", StreamFailure(.streamInvalid, .restrictedXML, answer: .restrictedXML)),
        ("</stream:stream>", StreamFailure(.netClosed, .closedByServer)),
    ])
    func `What may not come later ends the stream`(text: String, failure: StreamFailure) throws {
        let driver = try Driver.established()
        #expect(driver.receive(text) == [.ended(failure)])
        if let condition = failure.answer { #expect(driver.output().contains("<stream:error><\(condition.rawValue) ")) }
    }

    @Test func `White space and elements of unknown extensions have no effect`() throws {
        let driver = try Driver.established()
        #expect(driver.receive(String(repeating: " ", count: 5000)).isEmpty)
        #expect(driver.receive("<x xmlns='urn:unknown'/>").isEmpty)
        #expect(driver.receive("<message/>").count == 1)
    }

    @Test func `Fed byte by byte, a stream gives the same actions`() throws {
        let whole = try Driver.established()
        let pieces = try Driver.established()
        let text =
            "<message id='1'><body>a</body></message><r xmlns='urn:xmpp:sm:3'/><iq type='get' id='2'><ping xmlns='urn:xmpp:ping'/></iq>"
        let expected = whole.receive(text)
        let actual = text.utf8.flatMap { pieces.receive(String(decoding: [$0], as: UTF8.self)) }
        #expect(expected.count == 2)
        #expect(actual == expected)
    }

    @Test func `Random bytes at any step never crash the stream`() throws {
        var random = SeededGenerator(seed: 23)
        let steps = [
            Driver.header, Driver.startTLS, Driver.proceed, Driver.scram, Driver.bind, Driver.enabled, "<message/>",
        ]
        for _ in 0..<500 {
            let driver = try Driver(security: Bool.random(using: &random) ? .startTLS : .direct(.none))
            driver.start()
            for _ in 0..<8 {
                var bytes = Array((steps.randomElement(using: &random) ?? "").utf8)
                if Int.random(in: 0..<3, using: &random) == 0 {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                if driver.take(driver.stream.receive(bytes)).contains(.startTLS) { driver.didStartTLS() }
            }
        }
    }
}
