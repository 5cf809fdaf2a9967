import Base
import Foundation
import Testing

@testable import XMPP

@Suite struct StreamNegotiationTests {
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
            hasRosterVersions: true)
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

    @Test func `A server without an acceptable mechanism is left, and PLAIN is none`() throws {
        let plain =
            "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms></stream:features>"
        for features in [plain, "<stream:features/>"] {
            let driver = try Driver()
            driver.start()
            #expect(driver.receive(Driver.header + features) == [.ended(StreamFailure(.authMechanism, .noMechanism))])
        }
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
        let driver = try Driver()
        driver.start()
        driver.receive(Driver.header)
        let actions = driver.authenticate(followedBy: Driver.header)
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
}
