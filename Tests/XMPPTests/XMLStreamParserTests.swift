import Testing

@testable import XMPP

@Suite struct XMLStreamParserTests {
    static let header =
        "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"

    @Test func `Streams are accepted or refused as the vectors say`() throws {
        var checked = 0
        for row in try VectorRow.load("xmlstream/xmlstream.jsonl") {
            let parser = XMLStreamParser()
            var events = row.chunks.flatMap { parser.feed($0) }
            // An unfinished tag is judged when it ends.
            if row["expect"] != "ok" { events += parser.feed(Array(">>>>".utf8)) }
            checked += 1
            let failure = self.failure(events)
            switch row["expect"] {
            case "ok":
                #expect(failure == nil, "\(row.id)")
                #expect(events.count { isStanza($0) } == row.number("stanzas") ?? 0, "\(row.id)")
            case "not-well-formed":
                #expect(failure?.answer == .notWellFormed, "\(row.id)")
                #expect(!events.contains { isStanza($0) }, "\(row.id)")
            case "restricted-xml": #expect(failure?.answer == .restrictedXML, "\(row.id)")
            case "bad-encoding": #expect(failure?.answer == .unsupportedEncoding, "\(row.id)")
            case "bad-stream-root":
                #expect(failure?.answer == .badFormat || failure?.answer == .invalidNamespace, "\(row.id)")
            default: Issue.record("unknown expectation in \(row.id)")
            }
        }
        #expect(checked > 30)
    }

    @Test func `Bytes are UTF-8 or not as the vectors say`() throws {
        for row in try VectorRow.load("xmlstream/utf8.jsonl") {
            let bytes = row.hex("in_hex")
            let isWhole = bytes.withUnsafeBytes { UTF8Gate.wholeCharacters($0) == (bytes.count, true) }
            #expect(isWhole == (row["expect"] == "valid"), "\(row.id)")
        }
    }

    @Test func `Fed byte by byte or in random pieces, a stream gives the same events`() {
        let stream = Array(Self.sample.utf8)
        let expected = parse([stream])
        #expect(expected.count { isStanza($0) } == 5)
        #expect(parse(stream.map { [$0] }) == expected)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var chunks: [[UInt8]] = []
            var rest = stream[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...min(rest.count, 700), using: &random)
                chunks.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(parse(chunks) == expected)
        }
    }

    @Test func `Damaged streams fail without a crash, the same in pieces as at once`() {
        let stream = Array(Self.sample.utf8)
        var random = SeededGenerator(seed: 11)
        for _ in 0..<1000 {
            var damaged = stream
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<damaged.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: damaged[index] = UInt8.random(in: 0...255, using: &random)
                case 1: damaged.remove(at: index)
                default:
                    damaged.insert(contentsOf: Array("<&!?>'\"".utf8).shuffled(using: &random).prefix(2), at: index)
                }
            }
            let split = Int.random(in: 0..<damaged.count, using: &random)
            let whole = parse([damaged])
            let pieces = parse([Array(damaged[..<split]), Array(damaged[split...])])
            #expect(whole.filter { isStanza($0) } == pieces.filter { isStanza($0) })
            #expect((failure(whole) == nil) == (failure(pieces) == nil))
        }
    }

    @Test func `Random bytes never crash the parser`() {
        var random = SeededGenerator(seed: 13)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 1...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = parse([bytes])
            _ = parse([Array(Self.header.utf8), bytes, bytes])
        }
    }

    @Test func `A stanza is reported with its last byte`() {
        let parser = XMLStreamParser()
        _ = parser.feed(Array(Self.header.utf8))
        for text in ["<iq/>", "<message><body>hi</body></message>", " <presence />"] {
            let bytes = Array(text.utf8)
            #expect(parser.feed(Array(bytes.dropLast())).isEmpty)
            #expect(parser.feed([bytes[bytes.count - 1]]).count { isStanza($0) } == 1)
            #expect(parser.trailingBytes == 0)
        }
        _ = parser.feed(Array("<iq/>more".utf8))
        #expect(parser.trailingBytes == 4)
        #expect(parser.feed(Array("<".utf8)).count == 1)
    }

    @Test(arguments: [
        (String(repeating: "<a>", count: 64), StreamFailure.Reason.depthLimit),
        ("<a " + (0..<65).map { "a\($0)=''" }.joined(separator: " ") + "/>", .attributeLimit),
        ("<a " + (0..<65).map { "xmlns:a\($0)='u:\($0)'" }.joined(separator: " ") + "/>", .attributeLimit),
        ("<" + String(repeating: "n", count: 1025) + "/>", .nameLimit),
        ("<a " + String(repeating: "n", count: 1025) + "=''/>", .nameLimit),
        ("<a xmlns='" + String(repeating: "n", count: 1025) + "'/>", .nameLimit),
        ("<a>" + String(repeating: "x", count: 1_050_000), .stanzaLimit),
        ("<a><![CDATA[" + String(repeating: "x", count: 1_050_000), .stanzaLimit),
        ("<a>" + String(repeating: "<b/>", count: 32_768), .stanzaLimit),
        ("<a b='" + String(repeating: "x", count: 40_000), .tagLimit),
        ("<" + String(repeating: "x", count: 40_000), .tagLimit),
        ("<!--" + String(repeating: "x", count: 40_000), .tagLimit),
        ("<?" + String(repeating: "x", count: 40_000), .tagLimit),
        ("</" + String(repeating: "x", count: 40_000), .tagLimit),
    ])
    func `Each limit ends the stream`(text: String, reason: StreamFailure.Reason) {
        let failure = failure(parse([Array((Self.header + text).utf8)]))
        #expect(failure == StreamFailure(.streamTooLarge, reason, answer: .policyViolation))
    }

    @Test(arguments: [
        ("<p:a/>", StreamFailure.Reason.unboundPrefix), ("<a p:b=''/>", .unboundPrefix),
        ("<a>&foo;</a>", .restrictedXML),
        ("<a b='&foo;'/>", .restrictedXML), ("text", .strayText), ("<a b='1' b='2'/>", .malformedXML),
        ("<a>\u{0}</a>", .badEncoding), ("<a>\u{1}</a>", .malformedXML), ("<a><![CDATA[\u{1}]]></a>", .malformedXML),
        ("<stream:stream>", nil), ("<a xmlns='vcard-temp'/>", nil), ("<a xmlns='not a uri'/>", nil),
    ])
    func `What is not XML for XMPP ends the stream`(text: String, reason: StreamFailure.Reason?) {
        // Text is reported when the next tag begins.
        let failure = failure(parse([Array((Self.header + text + "<b>").utf8)]))
        #expect(failure?.reason == reason)
        if reason != nil { #expect(failure?.code == .streamInvalid) }
    }

    @Test func `A tag of 100,000 attributes is refused in a few milliseconds`() {
        let tag = "<a " + (0..<100_000).map { "a\($0)='1'" }.joined(separator: " ") + "/>"
        let bytes = Array((Self.header + tag).utf8)
        let duration = ContinuousClock().measure {
            #expect(failure(parse([bytes]))?.code == .streamTooLarge)
        }
        #expect(duration < .milliseconds(200))
    }

    @Test func `Many names do not grow memory without end`() {
        let parser = XMLStreamParser()
        _ = parser.feed(Array(Self.header.utf8))
        var failure: StreamFailure?
        var count = 0
        while failure == nil, count < 2000 {
            let name = "n\(count)\(String(repeating: "x", count: 1000))"
            failure = self.failure(parser.feed(Array("<\(name) xmlns='urn:\(count)'/>".utf8)))
            count += 1
        }
        // Names of a kilobyte each, a mebibyte allowed; libxml2 counts in blocks of its own.
        #expect(failure == StreamFailure(.streamTooLarge, .nameLimit, answer: .policyViolation))
        #expect(count > 200)
    }

    @Test func `Texts, references and namespaces come out right`() throws {
        let events = parse([
            Array(
                (Self.header
                    + "<message id='a&lt;&#x41;' xml:lang='en'>x&amp;y<![CDATA[<z>]]><e xmlns='urn:e'><f/></e>\u{E9}</message>")
                    .utf8)
        ])
        guard case .stanza(let message) = events.last else {
            Issue.record("no stanza")
            return
        }
        #expect(message.isNamed("message", Namespace.client))
        #expect(message["id"] == "a<A")
        #expect(message.attribute("lang", Namespace.xml) == "en")
        #expect(message.text == "x&y<z>\u{E9}")
        #expect(message.child("e", "urn:e")?.child("f", "urn:e") != nil)
    }

    static let sample =
        header
            + """
            <stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>
            <message from='a@b.c/d' type='chat' id='1'><body>Hello &lt;w\u{F6}rld&gt; \u{1F600}</body></message> \

            <iq type='result' id='2'/><presence><show>away</show><c xmlns='http://jabber.org/protocol/caps' ver='x&#33;'/></presence>
            <message><body>\(String(repeating: "long \u{1F600}\u{E9} ", count: 400))</body></message></stream:stream>
            """

    private func parse(_ chunks: [[UInt8]]) -> [XMLEvent] {
        let parser = XMLStreamParser()
        return chunks.flatMap { parser.feed($0) }
    }

    private func failure(_ events: [XMLEvent]) -> StreamFailure? {
        if case .failed(let failure) = events.last { failure } else { nil }
    }

    private func isStanza(_ event: XMLEvent) -> Bool {
        if case .stanza = event { true } else { false }
    }
}
