import Base
import Foundation
import Testing

@testable import XMPP

@Suite struct XMPPStreamTests {
    private typealias Driver = StreamDriver

    @Test func `A stream goes by TLS, SCRAM, binding and management to ready`() throws {
        let driver = try Driver(security: .startTLS)
        #expect(driver.start().isEmpty)
        let plainHeader = driver.output()
        #expect(plainHeader.contains("to='example.org'"))
        // Our own address is not said in the clear.
        #expect(!plainHeader.contains("user"))
        #expect(driver.receive(Driver.header + Driver.startTLS).isEmpty)
        #expect(driver.output() == "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
        #expect(driver.receive(Driver.proceed) == [.startTLS])
        driver.didStartTLS()
        #expect(driver.output().contains("from='user@example.org'"))
        driver.receive(Driver.header)
        let summary = AuthenticationSummary(mechanism: "SCRAM-SHA-256", binding: nil, isDowngradeProtected: false)
        #expect(driver.authenticate() == [.authenticated(summary)])
        #expect(driver.output().hasPrefix("<?xml version='1.0'?><stream:stream xmlns='jabber:client'"))
        driver.receive(Driver.header + Driver.bind)
        #expect(driver.bound().isEmpty)
        #expect(driver.output() == "<enable xmlns='urn:xmpp:sm:3' resume='true'/>")
        #expect(!driver.canSend)
        let ready = StreamReady(
            address: try JID("user@example.org/res"), isResumed: false, isManaged: true, isResumable: true,
            hasRosterVersions: true, hasClientState: true)
        #expect(driver.receive(Driver.enabled) == [.ready(ready)])
        #expect(driver.canSend)
    }

    /// What a server says on a fresh connection that asks for STARTTLS, and how the stream ends.
    private static let beforeTLS: [(String, StreamFailure)] = [
        ("<stream:features/>", StreamFailure(.tlsRequired, .missingStartTLS)),
        (
            "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms></stream:features>",
            StreamFailure(.tlsRequired, .missingStartTLS)
        ),
        ("<message/>", StreamFailure(.streamInvalid, .missingFeatures, answer: .policyViolation)),
        (
            "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>",
            StreamFailure(.streamInvalid, .missingFeatures, answer: .policyViolation)
        ),
        (
            Driver.startTLS + "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
            StreamFailure(.tlsFailed, .startTLSRefused)
        ),
        (
            Driver.startTLS + "<message/>",
            StreamFailure(.streamInvalid, .unexpectedElement, answer: .policyViolation)
        ),
        (Driver.startTLS + Driver.proceed + " ", StreamFailure(.streamInvalid, .plaintextAfterStartTLS)),
        (
            Driver.startTLS + Driver.proceed + "<stream:features/>",
            StreamFailure(.streamInvalid, .plaintextAfterStartTLS)
        ),
        (Driver.startTLS + Driver.proceed + "\u{1}", StreamFailure(.streamInvalid, .plaintextAfterStartTLS)),
        (
            "<stream:error><host-unknown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>",
            StreamFailure(.streamError, .hostUnknown)
        ),
        (
            "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>evil.example</see-other-host></stream:error>",
            StreamFailure(.streamError, .seeOtherHost)
        ),
        ("<stream:error/>", StreamFailure(.streamError, .streamError)),
        ("</stream:stream>", StreamFailure(.netClosed, .closedByServer)),
        (
            String(repeating: " ", count: 1100),
            StreamFailure(.streamTooLarge, .spaceLimit, answer: .policyViolation)
        ),
    ]

    @Test(arguments: beforeTLS.indices)
    func `What may not come before TLS ends the stream`(index: Int) throws {
        let (text, failure) = Self.beforeTLS[index]
        let driver = try Driver(security: .startTLS)
        driver.start()
        driver.receive(Driver.header)
        let actions = driver.receive(text)
        #expect(actions.last == .ended(failure), "\(text)")
        #expect(!actions.contains(.startTLS))
        #expect(driver.output().hasSuffix("</stream:stream>"))
        // Nothing is sent any more, whatever comes.
        #expect(driver.receive(Driver.header).isEmpty)
        #expect(driver.output().isEmpty)
    }

    @Test func `Plaintext while TLS starts ends the stream`() throws {
        let driver = try Driver(security: .startTLS)
        driver.start()
        driver.receive(Driver.header + Driver.startTLS)
        #expect(driver.receive(Driver.proceed) == [.startTLS])
        #expect(driver.receive("<") == [.ended(StreamFailure(.streamInvalid, .plaintextAfterStartTLS))])
    }

    private static let headers: [(String, StreamFailure)] = [
        (
            "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' id='1'>",
            StreamFailure(.streamInvalid, .wrongVersion, answer: .unsupportedVersion)
        ),
        (
            "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='2.0'>",
            StreamFailure(.streamInvalid, .wrongVersion, answer: .unsupportedVersion)
        ),
        (
            "<stream:stream xmlns='jabber:client' xmlns:stream='urn:x' version='1.0'>",
            StreamFailure(.streamInvalid, .badRoot, answer: .invalidNamespace)
        ),
        (
            "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' from='evil.example' version='1.0'><stream:features/>",
            StreamFailure(.streamInvalid, .wrongSender, answer: .invalidFrom)
        ),
        (
            "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' from='other.example' version='1.0'><stream:error><host-unknown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>",
            StreamFailure(.streamError, .hostUnknown)
        ),
        ("HTTP/1.1 400 Bad Request\r\n", StreamFailure(.streamInvalid, .malformedXML, answer: .notWellFormed)),
        ("<html><body>", StreamFailure(.streamInvalid, .badRoot, answer: .invalidNamespace)),
    ]

    @Test(arguments: headers.indices)
    func `A header that is not ours to accept ends the stream`(index: Int) throws {
        let (text, failure) = Self.headers[index]
        let driver = try Driver()
        driver.start()
        #expect(driver.receive(text) == [.ended(failure)], "\(text)")
    }

    private static func sasl(_ text: String) -> String {
        text.replacingOccurrences(of: "/>", with: " xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>")
    }

    private static let authentication: [(String, StreamFailure)] = [
        (sasl("<success/>"), StreamFailure(.authServerProof, .signatureMissing)),
        (
            "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>dj1BQUFB</success>",
            StreamFailure(.authServerProof, .signatureMissing)
        ),
        (
            "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>***</challenge>",
            StreamFailure(.authServerProof, .badChallenge)
        ),
        (sasl("<challenge/>"), StreamFailure(.authServerProof, .badChallenge)),
        (failureElement("not-authorized"), StreamFailure(.authRefused, .credentialsRefused)),
        (failureElement("account-disabled"), StreamFailure(.authRefused, .credentialsRefused)),
        (failureElement("temporary-auth-failure"), StreamFailure(.authTemporary, .authenticationFailed)),
        (failureElement("aborted"), StreamFailure(.authAborted, .authenticationFailed)),
        (failureElement("invalid-mechanism"), StreamFailure(.authMechanism, .authenticationFailed)),
        (failureElement("unheard-of"), StreamFailure(.authRefused, .credentialsRefused)),
        ("<message/>", StreamFailure(.streamInvalid, .unexpectedElement, answer: .policyViolation)),
        ("<stream:features/>", StreamFailure(.streamInvalid, .unexpectedElement, answer: .policyViolation)),
    ]

    private static func failureElement(_ condition: String) -> String {
        "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><\(condition)/><text>no</text></failure>"
    }

    @Test(arguments: authentication.indices)
    func `What is no right answer to a login ends the stream`(index: Int) throws {
        let (text, failure) = Self.authentication[index]
        let driver = try Driver()
        driver.start()
        driver.receive(Driver.header + Driver.scram)
        #expect(driver.receive(text) == [.ended(failure)], "\(text)")
    }

    @Test func `A refused y flag means that the offer was tampered with`() throws {
        let driver = try Driver(security: .direct(ChannelBindings(exporter: [1], serverEndPoint: nil, isTLS13: true)))
        driver.start()
        driver.receive(Driver.header + Driver.scram)
        #expect(
            driver.receive(Self.failureElement("malformed-request"))
                == [.ended(StreamFailure(.authDowngrade, .downgradeDetected))])
    }

    @Test func `A server that does not know the password is not believed`() throws {
        let driver = try Driver()
        driver.start()
        driver.receive(Driver.header)
        #expect(driver.authenticate(tamper: true) == [.ended(StreamFailure(.authServerProof, .signatureMismatch))])
    }

    @Test func `A server without an acceptable mechanism is left, and PLAIN is used only if allowed`() throws {
        let plain =
            "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms></stream:features>"
        for features in [plain, "<stream:features/>"] {
            let driver = try Driver()
            driver.start()
            #expect(driver.receive(Driver.header + features) == [.ended(StreamFailure(.authMechanism, .noMechanism))])
        }
        let driver = try Driver(allowsPlain: true)
        driver.start()
        _ = driver.output()
        driver.receive(Driver.header + plain)
        // RFC 4616: NUL, user, NUL, password.
        let message = Data("\0user\0pencil".utf8).base64EncodedString()
        #expect(driver.output() == "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(message)</auth>")
        let summary = AuthenticationSummary(mechanism: "PLAIN", binding: nil, isDowngradeProtected: false)
        #expect(driver.receive(Self.sasl("<success/>")) == [.authenticated(summary)])
    }

    @Test func `The stretched password of one login serves the next`() throws {
        let driver = try Driver()
        driver.start()
        driver.receive(Driver.header)
        _ = driver.authenticate(iterations: 5000)
        let salted = try #require(driver.saltedPassword)
        #expect(salted.iterations == 5000)
        let next = try Driver(salted: salted)
        next.start()
        next.receive(Driver.header)
        #expect(next.authenticate(iterations: 5000).count == 1)
        #expect(next.saltedPassword === salted)
    }

    @Test func `Bytes that follow a success at once end the stream`() throws {
        let driver = try Driver(allowsPlain: true)
        driver.start()
        driver.receive(Driver.header + Driver.scram.replacingOccurrences(of: "SCRAM-SHA-256", with: "X"))
        let actions = driver.receive(Self.sasl("<success/>") + Driver.header)
        #expect(actions.last == .ended(StreamFailure(.streamInvalid, .bytesBeforeRestart)))
    }

    private static let binding: [(String, StreamFailure)] = [
        (
            "<iq type='error' id='ID'><error type='cancel'><not-allowed xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>",
            StreamFailure(.serverRefused, .bindRefused)
        ),
        (
            "<iq type='error' id='ID'><error type='cancel'><conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>",
            StreamFailure(.streamConflict, .bindRefused)
        ),
        ("<iq type='result' id='ID'/>", StreamFailure(.streamInvalid, .badBoundAddress, answer: .policyViolation)),
        (
            "<iq type='result' id='other'/>",
            StreamFailure(.streamInvalid, .unexpectedElement, answer: .policyViolation)
        ),
    ]

    @Test(arguments: binding.indices)
    func `A refused binding ends the stream`(index: Int) throws {
        let (text, failure) = Self.binding[index]
        let driver = try Driver()
        driver.start()
        driver.receive(Driver.header)
        _ = driver.authenticate()
        driver.receive(Driver.header + Driver.bind)
        let output = driver.output()
        let id = try #require(output.components(separatedBy: "id='").last?.components(separatedBy: "'").first)
        #expect(driver.receive(text.replacingOccurrences(of: "ID", with: id)) == [.ended(failure)])
    }

    @Test(arguments: ["other@example.org/res", "user@evil.example/res", "user@example.org", "not a jid/@"])
    func `An address that is not ours is not taken`(address: String) throws {
        let driver = try Driver()
        driver.start()
        driver.receive(Driver.header)
        _ = driver.authenticate()
        driver.receive(Driver.header + Driver.bind)
        #expect(
            driver.bound(address)
                == [.ended(StreamFailure(.streamInvalid, .badBoundAddress, answer: .policyViolation))])
    }

    @Test func `A wanted resource is asked for`() throws {
        let driver = try Driver(account: "user@example.org/wanted")
        driver.start()
        driver.receive(Driver.header)
        _ = driver.authenticate()
        driver.receive(Driver.header + Driver.bind)
        #expect(driver.output().contains("<resource>wanted</resource>"))
    }

    @Test func `Without management, or where it is refused, the stream is ready all the same`() throws {
        for (features, answer) in [
            (Driver.bindWithoutManagement, nil), (Driver.bind, "<failed xmlns='urn:xmpp:sm:3'/>"),
        ] {
            let driver = try Driver()
            driver.start()
            driver.receive(Driver.header)
            _ = driver.authenticate()
            driver.receive(Driver.header + features)
            var actions = driver.bound()
            if let answer { actions += driver.receive(answer) }
            guard case .ready(let ready) = actions.first else {
                Issue.record("not ready")
                continue
            }
            #expect(!ready.isManaged)
            driver.send(Element("message", Namespace.client), tag: 1)
            #expect(driver.output().hasSuffix("<message/>"))
            #expect(driver.resumableSession == nil)
        }
    }

    @Test func `Stanzas that come before management is answered wait for ready`() throws {
        let driver = try Driver()
        driver.start()
        driver.receive(Driver.header)
        _ = driver.authenticate()
        driver.receive(Driver.header + Driver.bind)
        driver.bound()
        #expect(driver.receive("<message id='early'/>").isEmpty)
        let actions = driver.receive(Driver.enabled)
        #expect(actions.count == 2)
        guard case .stanza(.message(let message), let mark) = actions.last else {
            Issue.record("no message")
            return
        }
        #expect(message.id == "early")
        // Neither side counts it.
        driver.didHandle(mark)
        _ = driver.output()
        driver.receive("<r xmlns='urn:xmpp:sm:3'/>")
        #expect(driver.output() == "<a xmlns='urn:xmpp:sm:3' h='0'/>")
    }

    // MARK: Established

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
        #expect(session.unacknowledged == [StanzaTag(1), StanzaTag(2), StanzaTag(3)])

        let driver = try Driver(resumption: session)
        driver.start()
        driver.receive(Driver.header)
        _ = driver.authenticate()
        _ = driver.output()
        driver.receive(Driver.header + Driver.bind)
        #expect(driver.output() == "<resume xmlns='urn:xmpp:sm:3' h='1' previd='res-1'/>")
        let actions = driver.receive("<resumed xmlns='urn:xmpp:sm:3' h='1' previd='res-1'/>")
        let ready = StreamReady(
            address: try JID("user@example.org/res"), isResumed: true, isManaged: true, isResumable: true,
            hasRosterVersions: true, hasClientState: true)
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

    @Test func `A stream that is gone gives back what is acknowledged and what is open, then binds`() throws {
        let old = try Driver.established()
        for tag in 1...3 { old.send(Element("message", Namespace.client), tag: UInt64(tag)) }
        old.stream.didDisconnect()
        let session = old.resumableSession
        for (answer, expected) in [
            ("h='2'", [StreamAction.acknowledged([StanzaTag(1), StanzaTag(2)]), .unsettled([StanzaTag(3)])]),
            ("", [.unsettled([StanzaTag(1), StanzaTag(2), StanzaTag(3)])]),
            // A count that cannot be is no news.
            ("h='9'", [.unsettled([StanzaTag(1), StanzaTag(2), StanzaTag(3)])]),
        ] {
            let driver = try Driver(resumption: session)
            driver.start()
            driver.receive(Driver.header)
            _ = driver.authenticate()
            driver.receive(Driver.header + Driver.bind)
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
            #expect(driver.unacknowledged.isEmpty)
            // What is left is this stream's own.
            driver.stream.didDisconnect()
            #expect(driver.resumableSession?.unacknowledged == [])
        }
    }

    @Test func `A server without management cannot resume, and says nothing of what it took`() throws {
        let old = try Driver.established()
        old.send(Element("message", Namespace.client), tag: 1)
        old.stream.didDisconnect()
        let driver = try Driver(resumption: old.resumableSession)
        driver.start()
        driver.receive(Driver.header)
        _ = driver.authenticate()
        #expect(driver.receive(Driver.header + Driver.bindWithoutManagement) == [.unsettled([StanzaTag(1)])])
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
        #expect(driver.resumableSession?.unacknowledged == [StanzaTag(1)])
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
