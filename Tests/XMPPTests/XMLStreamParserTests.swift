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
        (
            "<a>" + (0..<1100).map { "<b xmlns='u:\($0)\(String(repeating: "x", count: 1000))'/>" }.joined(),
            .stanzaLimit
        ),
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

    /// A stanza with a kilobyte of names that no other number has.
    private func fresh(_ number: Int) -> String {
        let name = "n\(number)" + String(repeating: "x", count: 300)
        return "<\(name) xmlns='urn:\(name)' \(name)='1'><y:z xmlns:y='u:y'><![CDATA[<]]></y:z><d:v/></\(name)>"
    }

    private static let widerHeader = header.replacing(
        "xmlns='jabber:client'", with: "xmlns='jabber:client' xmlns:d='u:d'")

    @Test func `Fresh names without end do not end the stream, and what is kept of them is bounded`() {
        let parser = XMLStreamParser()
        _ = parser.feed(Array(Self.widerHeader.utf8))
        var most = 0
        var whole = 0
        let count = 20_000
        for number in 0..<count {
            whole += parser.feed(Array(fresh(number).utf8)).count { isStanza($0) }
            most = max(most, parser.nameBytes + parser.trailingBytes)
        }
        #expect(whole == count)
        // Of 18 MiB of names.
        #expect(most < 400_000)
    }

    @Test func `Beginning afresh between two stanzas changes nothing of what is read`() {
        let stanzas = (0..<400).map(fresh)
        let bytes = Array((Self.widerHeader + stanzas.joined(separator: " ")).utf8)
        let events = parse([bytes])
        #expect(events.count == 401)
        for (index, event) in events.dropFirst().enumerated() {
            // Each alone, in a parser that has read nothing else.
            let alone = parse([Array((Self.widerHeader + stanzas[index]).utf8)])
            #expect([event] == alone.dropFirst(), "\(index)")
        }
        for size in [1, 7, 4095] {
            let parser = XMLStreamParser()
            let pieces = stride(from: 0, to: bytes.count, by: size).flatMap { start in
                parser.feed(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(pieces == events, "in pieces of \(size)")
            #expect(parser.trailingBytes == 0)
        }
    }

    @Test func `A stanza within the limits has room for all its names, whatever came before`() {
        let parser = XMLStreamParser()
        _ = parser.feed(Array(Self.header.utf8))
        for round in 0..<8 {
            let elements = (0..<30_000).map { "<n\(round)x\($0)abcdefg/>" }.joined()
            let namespaces = (0..<900).map { "<a xmlns='u:\(round):\($0)\(String(repeating: "x", count: 1000))'/>" }
            for text in [elements, namespaces.joined()] {
                #expect(parser.feed(Array("<x>\(text)</x>".utf8)).count { isStanza($0) } == 1)
                #expect(parser.nameBytes < 2 << 20)
            }
        }
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
