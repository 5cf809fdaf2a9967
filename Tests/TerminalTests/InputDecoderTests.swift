import Testing

@testable import Terminal

@Suite("Keys from bytes")
struct InputDecoderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let bytes: String
        let events: [InputEvent]
        init(_ bytes: String, _ keys: KeyPress...) {
            self.bytes = bytes
            events = keys.map { .key($0) }
        }
        init(_ bytes: String, events: [InputEvent]) {
            self.bytes = bytes
            self.events = events
        }
        var testDescription: String { String(bytes.unicodeScalars.map { $0.value < 32 ? "^" : Character($0) }) }
    }

    static let cases: [Case] = [
        Case("a", .character("a")),
        Case("é漢👍", .character("é"), .character("漢"), .character("👍")),
        Case("\r", KeyPress(.enter)), Case("\n", .control("j")), Case("\t", KeyPress(.tab)),
        Case("\u{7F}", KeyPress(.backspace)), Case("\u{8}", KeyPress(.backspace)),
        Case("\u{3}", .control("c")), Case("\0", .control(" ")), Case("\u{1C}", .control("\\")),
        Case("\u{1F}", .control("_")),
        Case("\u{1B}[A", KeyPress(.up)), Case("\u{1B}OA", KeyPress(.up)),
        Case("\u{1B}[1;5C", KeyPress(.right, .control)),
        Case("\u{1B}[1;4D", KeyPress(.left, [.shift, .alt])), Case("\u{1B}[H", KeyPress(.home)),
        Case("\u{1B}[F", KeyPress(.end)), Case("\u{1B}[1~", KeyPress(.home)), Case("\u{1B}[4~", KeyPress(.end)),
        Case("\u{1B}[5~", KeyPress(.pageUp)), Case("\u{1B}[6;3~", KeyPress(.pageDown, .alt)),
        Case("\u{1B}[3~", KeyPress(.delete)), Case("\u{1B}[2~", KeyPress(.insert)),
        Case("\u{1B}[Z", KeyPress(.tab, .shift)),
        Case("\u{1B}OP", KeyPress(.function(1))), Case("\u{1B}[15~", KeyPress(.function(5))),
        Case("\u{1B}[17~", KeyPress(.function(6))), Case("\u{1B}[24~", KeyPress(.function(12))),
        Case("\u{1B}[[C", KeyPress(.function(3))), Case("\u{1B}[1;2R", KeyPress(.function(3), .shift)),
        Case("\u{1B}b", KeyPress(.character("b"), .alt)), Case("\u{1B}\r", KeyPress(.enter, .alt)),
        Case("\u{1B}é", KeyPress(.character("é"), .alt)), Case("\u{1B}\u{7F}", KeyPress(.backspace, .alt)),
        Case("\u{1B}[97;5u", .control("a")), Case("\u{1B}[13;2u", KeyPress(.enter, .shift)),
        Case("\u{1B}[27;5;13~", KeyPress(.enter, .control)),
        Case("\u{1B}\u{1B}[A", KeyPress(.escape), KeyPress(.up)),
        Case("\u{1B}[I\u{1B}[O", events: [.focus(true), .focus(false)]),
        Case(
            "\u{1B}[<0;3;5M\u{1B}[<0;3;5m",
            events: [
                .mouse(MouseEvent(.press, .left, at: Point(column: 2, row: 4))),
                .mouse(MouseEvent(.release, .left, at: Point(column: 2, row: 4))),
            ]),
        Case(
            "\u{1B}[<65;1;1M\u{1B}[<80;1;1M\u{1B}[<34;7;8M",
            events: [
                .mouse(MouseEvent(.wheelDown, .other, at: Point(column: 0, row: 0))),
                .mouse(MouseEvent(.wheelUp, .other, at: Point(column: 0, row: 0), .control)),
                .mouse(MouseEvent(.drag, .right, at: Point(column: 6, row: 7))),
            ]),
        Case(
            "\u{1B}[200~/quit\r\nrm\rx\u{3}\u{1B}[A\ty\u{1B}[201~z",
            events: [.paste(Paste(text: "/quit\nrm\nx[A\ty", isCut: false)), .key(.character("z"))]),
        Case("\u{1B}[200~\u{1B}[20\u{1B}[201~", events: [.paste(Paste(text: "[20", isCut: false))]),
        // Answers of the terminal and other sequences leave nothing behind.
        Case("\u{1B}[?62;22cx", .character("x")), Case("\u{1B}]11;rgb:0000/0000/0000\u{7}x", .character("x")),
        Case("\u{1B}P1$r0m\u{1B}\\x", .character("x")), Case("\u{1B}_Gi=1;OK\u{1B}\\x", .character("x")),
        Case("\u{1B}[M !!x", .character("x")), Case("\u{1B}[201~x", .character("x")),
        Case("\u{1B}[<0;0;5Mx", .character("x")), Case("\u{1B}[999999999999999;1Hx", KeyPress(.home), .character("x")),
    ]

    @Test("A sequence is the key it stands for", arguments: cases)
    func decodes(_ row: Case) {
        var decoder = InputDecoder()
        #expect(decoder.feed(row.bytes.utf8) == row.events)
        #expect(decoder.wait == nil)
    }

    @Test("A sequence split at any byte is the same key", arguments: cases)
    func split(_ row: Case) {
        let bytes = Array(row.bytes.utf8)
        for cut in 0...bytes.count {
            var decoder = InputDecoder()
            let events = decoder.feed(bytes[..<cut]) + decoder.feed(bytes[cut...])
            #expect(events == row.events)
        }
    }

    @Test("ESC alone is a key once the time is out, and only then")
    func loneEscape() {
        var decoder = InputDecoder()
        #expect(decoder.feed([0x1B]).isEmpty)
        #expect(decoder.wait == 50)
        #expect(decoder.timeOut() == [.key(KeyPress(.escape))])
        #expect(decoder.wait == nil)
        #expect(decoder.feed(Array("[A".utf8)) == [.key(.character("[")), .key(.character("A"))])
    }

    @Test("Alt and a bracket are a key once the time is out")
    func altBracket() {
        var decoder = InputDecoder()
        #expect(decoder.feed(Array("\u{1B}[".utf8)).isEmpty)
        #expect(decoder.timeOut() == [.key(KeyPress(.character("["), .alt))])
        #expect(decoder.feed(Array("\u{1B}]".utf8)).isEmpty)
        #expect(decoder.timeOut() == [.key(KeyPress(.character("]"), .alt))])
    }

    @Test("Bytes that are no UTF-8 become one replacement each run and swallow nothing after them")
    func invalid() {
        let bad = InputEvent.key(.character("\u{FFFD}"))
        var decoder = InputDecoder()
        #expect(decoder.feed([0xC3, 0x61]) == [bad, .key(.character("a"))])
        #expect(decoder.feed([0x80, 0x61]) == [bad, .key(.character("a"))])
        #expect(decoder.feed([0xED, 0xA0, 0x80, 0x61]) == [bad, .key(.character("a"))])
        #expect(decoder.feed([0xE0, 0x80, 0x80, 0x61]) == [bad, .key(.character("a"))])
        #expect(decoder.feed([0xC2, 0x9B, 0x61]) == [.key(.character("a"))])
    }

    @Test("A paste whose end is lost stays a paste: no line of it acts")
    func lostEnd() {
        var decoder = InputDecoder()
        #expect(decoder.feed(Array("\u{1B}[200~one".utf8)).isEmpty)
        #expect(decoder.timeOut() == [.paste(Paste(text: "one", isCut: false))])
        #expect(decoder.feed(Array("\r/quit\r".utf8)).isEmpty)
        #expect(decoder.feed(Array("\u{1B}[201~".utf8)) == [.paste(Paste(text: "\n/quit\n", isCut: false))])
        #expect(decoder.feed([0x0D]) == [.key(KeyPress(.enter))])
    }

    @Test("A paste is bounded and says so")
    func bigPaste() {
        var decoder = InputDecoder()
        let flood = Array(repeating: UInt8(0x61), count: Paste.limit + 10)
        #expect(decoder.feed(Array("\u{1B}[200~".utf8) + flood).isEmpty)
        let events = decoder.feed(Array("\u{1B}[201~".utf8))
        #expect(events == [.paste(Paste(text: String(repeating: "a", count: Paste.limit), isCut: true))])
    }

    @Test("Endless parameters and endless strings end in ordinary keys")
    func garbage() {
        var decoder = InputDecoder()
        #expect(decoder.feed(Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 100_000)).isEmpty)
        #expect(decoder.feed(Array("~x".utf8)) == [.key(.character("x"))])
        let events = decoder.feed(Array("\u{1B}]".utf8) + Array(repeating: 0x61, count: 5_000))
        #expect(events.count < 5_000 && events.last == .key(.character("a")))
    }

    @Test("Any bytes at all decode without a crash and leave a bounded wait")
    func noise() {
        var generator = SystemRandomNumberGenerator()
        var decoder = InputDecoder()
        for _ in 0..<50_000 {
            var events: [InputEvent] = []
            let byte =
                generator.next() % 3 == 0
                ? [0x1B, 0x5B, 0x3B, 0x7E, 0x4D][Int(generator.next() % 5)] : UInt8.random(in: 0...255)
            decoder.feed(byte, &events)
            #expect(events.count <= 2)
        }
        #expect((decoder.wait ?? 0) <= 2_000)
    }
}
