import Base
import Testing

@testable import XMPP

@Suite struct StanzaTests {
    @Test(arguments: [
        ("<message from='example.org' to='me@example.org/x' type='chat'><body>hi</body></message>", true),
        ("<message type='unheard-of'/>", true), ("<message from='@'/>", false), ("<message to='a b@c'/>", false),
        ("<presence type='unheard-of'/>", false), ("<presence/>", true), ("<iq type='get' id='1'/>", false),
        ("<iq type='get'><a xmlns='b'/></iq>", false),
        ("<iq type='get' id='1'><a xmlns='b'/><c xmlns='d'/></iq>", false),
        ("<iq type='get' id=''><a xmlns='b'/></iq>", false), ("<iq type='x' id='1'><a xmlns='b'/></iq>", false),
        ("<iq type='result' id='1'/>", true), ("<other/>", false), ("<message xmlns='jabber:server'/>", false),
    ])
    func `An element is a stanza or it is none`(text: String, isStanza: Bool) throws {
        let element = try #require(parse(text))
        #expect((Stanza(element) != nil) == isStanza)
    }

    @Test func `A message from a bare domain is read`() throws {
        let element = try #require(
            parse("<message from='example.org' to='me@example.org/x' type='chat'><body>hi</body></message>"))
        guard case .message(let message)? = Stanza(element) else {
            Issue.record("no message")
            return
        }
        #expect(message.from == (try JID("example.org")))
        #expect(message.body == "hi")
        #expect(message.kind == .chat)
    }

    /// RFC 6120, section 8.3.2 and 8.3.3.
    @Test(arguments: [
        (
            "<error type='wait'><resource-constraint xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>",
            StanzaError(.wait, .resourceConstraint)
        ),
        (
            "<error type='cancel'><text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>t</text><service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>",
            StanzaError(.cancel, .serviceUnavailable)
        ),
        (
            "<error type='odd'><odd xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>",
            StanzaError(.cancel, .undefinedCondition)
        ),
        ("", StanzaError(.cancel, .undefinedCondition)),
    ])
    func `An error is read, and an unknown one is permanent`(text: String, error: StanzaError) throws {
        let element = try #require(parse("<message type='error'>\(text)</message>"))
        guard case .message(let message)? = Stanza(element) else {
            Issue.record("no message")
            return
        }
        #expect(message.error == error)
        #expect(error.isRetryable == (error.kind == .wait))
    }

    @Test func `What is written is read back, whatever characters it holds`() throws {
        var random = SeededGenerator(seed: 5)
        let scalars: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0x09...0x0A, 0x0D...0x0D, 0x80...0x2FF, 0xE000...0xFFFD, 0x1F600...0x1F64F,
        ]
        for _ in 0..<300 {
            var text = ""
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                let range = scalars[Int.random(in: 0..<scalars.count, using: &random)]
                if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) {
                    text.unicodeScalars.append(scalar)
                }
            }
            var element = Element("message", Namespace.client, ["a": text], [Element("b", "urn:b", text: text)])
            element.attributes.append(Attribute("lang", text, namespace: Namespace.xml))
            element.attributes.append(Attribute("x", text, namespace: "urn:x"))
            let read = try #require(parse(String(decoding: ElementWriter.bytes(element), as: UTF8.self)))
            #expect(Array((read["a"] ?? "").utf8) == Array(text.utf8))
            #expect(Array((read.child("b", "urn:b")?.text ?? "").utf8) == Array(text.utf8))
            #expect(Array((read.attribute("lang", Namespace.xml) ?? "").utf8) == Array(text.utf8))
            #expect(Array((read.attribute("x", "urn:x") ?? "").utf8) == Array(text.utf8))
        }
    }

    @Test func `Characters that XML does not allow are left out`() throws {
        let element = Element(
            "message", Namespace.client, ["a": "x\u{1B}y"], [Element("b", "", text: "\u{0}a\u{FFFE}b\u{FFFF}\u{8}c")])
        let read = try #require(parse(String(decoding: ElementWriter.bytes(element), as: UTF8.self)))
        #expect(read["a"] == "xy")
        #expect(read.child("b", "")?.text == "abc")
    }

    @Test func `A stanza that is printed shows nothing`() throws {
        let message = MessageStanza(id: "i", to: try JID("a@b.c"), body: "secret")
        #expect(!"\(message) \(message.element) \(Stanza.message(message))".contains("secret"))
        #expect(!String(reflecting: message).contains("secret"))
    }
}
