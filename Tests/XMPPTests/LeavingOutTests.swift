import Base
import Testing

@testable import XMPP

/// Anybody can write a stanza that exceeds a limit, and the server brings it again on every stream.
@Suite struct LeavingOutTests {
    private static let tricky =
        "<![CDATA[ </x> <y ]] ]> ]]]]><z a='>' b=\"/>'\" c='/'/><z / ></z><z>&lt;/message&gt;</z>"
        .replacing("<z / >", with: "<z >")

    private static let large = [
        String(repeating: "<a>", count: 70) + tricky + String(repeating: "</a>", count: 70),
        String(repeating: "<a>", count: 20_000) + String(repeating: "</a>", count: 20_000),
        "<a " + (0..<65).map { "a\($0)=''" }.joined(separator: " ") + "/>" + tricky,
        "<a " + (0..<65).map { "a\($0)='>'" }.joined(separator: " ") + ">" + tricky + "</a>",
        "<a><b><" + String(repeating: "n", count: 1025) + "/></b></a>",
        "<a " + String(repeating: "n", count: 1025) + "=''>" + tricky + "</a>",
        "<a>" + String(repeating: "x", count: 1_050_000) + tricky + "</a>",
        "<a><![CDATA[" + String(repeating: "]]x", count: 350_000) + "]]></a>" + tricky,
        "<a>" + String(repeating: "<b/>", count: 32_768) + "</a>",
        tricky + "<a b='" + String(repeating: "x>", count: 20_000) + "'/>" + tricky,
        "<" + String(repeating: "x", count: 40_000) + "/>",
    ]

    private func parser() -> XMLStreamParser {
        let parser = XMLStreamParser()
        _ = parser.feed(Array(XMLStreamParserTests.header.utf8))
        parser.leavesOutLarge = true
        return parser
    }

    private func stanza(_ text: String) -> XMLEvent? {
        parser().feed(Array(text.utf8)).first
    }

    @Test(arguments: large.indices)
    func `A stanza beyond a limit is left out whole, and the next one is read`(index: Int) throws {
        let before = "<message id='before'/>"
        let after = "<iq id='after'><q xmlns='u:q'>x</q></iq>"
        let stream = Array((before + "<message><body>b</body>\(Self.large[index])</message> " + after).utf8)
        let expected = [try #require(stanza(before)), .leftOut, try #require(stanza(after))]
        #expect(parser().feed(stream) == expected)
        for size in [1, 7, 4095] {
            let parser = parser()
            let events = stride(from: 0, to: stream.count, by: size).flatMap { start in
                parser.feed(Array(stream[start..<min(start + size, stream.count)]))
            }
            #expect(events == expected, "in pieces of \(size)")
        }
    }

    @Test func `A stanza whose own tag is beyond a limit is left out, too, one after the other`() throws {
        let attributes = (0..<65).map { "a\($0)='/>'" }.joined(separator: " ")
        let stream =
            "<message \(attributes)/><message \(attributes)>x</message ><message b='\(String(repeating: "/", count: 40_000))'/><presence/>"
        let expected = [.leftOut, .leftOut, .leftOut, try #require(stanza("<presence/>"))]
        #expect(parser().feed(Array(stream.utf8)) == expected)
    }

    @Test func `What is left out is bounded, and has to be XML`() {
        let endless = "<message>" + String(repeating: "x", count: StanzaSkipper.limit + 2_000_000)
        let deep = "<message>" + String(repeating: "<a>", count: 70)
        for (text, code) in [
            (endless, ErrorCode.streamTooLarge), (deep + "<!-- -->", .streamInvalid), (deep + "<?x?>", .streamInvalid),
            (deep + "\u{FFFE}<!DOCTYPE a>", .streamInvalid),
        ] {
            guard case .failed(let failure) = parser().feed(Array(text.utf8)).last else {
                Issue.record("no failure")
                continue
            }
            #expect(failure.code == code)
        }
    }

    @Test func `What was left out is counted, so that the server does not send it again`() throws {
        let driver = try StreamDriver.established(leavesOutLarge: true)
        let actions = driver.receive("<message>\(Self.large[0])</message><message id='1'/>")
        guard actions.count == 2, case .unusable = actions[0], case .stanza(_, let mark) = actions[1] else {
            Issue.record("not what was sent")
            return
        }
        driver.didHandle(mark)
        driver.receive("<r xmlns='urn:xmpp:sm:3'/>")
        #expect(driver.output() == "<a xmlns='urn:xmpp:sm:3' h='2'/>")
    }
}
