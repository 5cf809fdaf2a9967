import Testing

@testable import Terminal

@Suite("Text from outside")
struct SafeTextTests {
    /// What must never reach a terminal: C0 but the line feed, DEL, C1, and controls that reorder text.
    static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A: false
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    @Test("Nothing of an escape sequence stays active", arguments: Vectors.rows("escapes") + Vectors.rows("naughty"))
    func neutralised(_ row: Vectors.Row) {
        for lines in [SafeText.Lines.one, .many] {
            let safe = SafeText(row.in, lines: lines)
            #expect(!safe.string.unicodeScalars.contains(where: SafeTextTests.isDangerous))
            #expect(safe.string.allSatisfy { $0 == "\n" || (1...2).contains(TextWidth.of($0)) })
            if lines == .one { #expect(!safe.string.contains("\n")) }
        }
    }

    @Test("What is safe already stays as it is", arguments: Vectors.rows("escapes") + Vectors.rows("naughty"))
    func idempotent(_ row: Vectors.Row) {
        let once = SafeText(row.in, lines: .many)
        #expect(Array(SafeText(once.string, lines: .many).string.utf8) == Array(once.string.utf8))
    }

    @Test(
        "Ordinary text of many scripts is shown unchanged",
        arguments: ["Grüße", "Привет", "你好", "שלום", "مرحبا", "नमस्ते", "👩‍💻 ok"])
    func unchanged(_ text: String) {
        #expect(Array(SafeText(text).string.utf8) == Array(text.utf8))
    }

    @Test("Controls show as pictures, reordering and invisible characters as a replacement")
    func shown() {
        #expect(SafeText("a\u{1B}[31mb").string == "a␛[31mb")
        #expect(SafeText("a\u{7}\u{7F}").string == "a␇␡")
        #expect(SafeText("a\u{9B}31m").string == "a\u{FFFD}31m")
        #expect(SafeText("x\u{202E}cod.exe").string == "x\u{FFFD}cod.exe")
        #expect(SafeText("\u{200B}\u{FEFF}").string == "\u{FFFD}\u{FFFD}")
        #expect(SafeText("a\r\nb", lines: .one).string == "a b")
        #expect(SafeText("a\r\nb\nc\u{2028}d", lines: .many).string == "a\nb\nc\nd")
        #expect(SafeText("a\rb", lines: .many).string == "a␍b")
    }

    @Test("A mark without a base stands on a circle")
    func orphanMark() {
        #expect(Array(SafeText("\u{301}a").string.unicodeScalars) == ["\u{25CC}", "\u{301}", "a"])
    }

    @Test("Text and clusters are bounded, and a cut shows")
    func bounded() {
        let long = SafeText(String(repeating: "x", count: 100), limit: 10)
        #expect(long.string == "xxxxxxxxxx…")
        #expect(long.isCut)
        #expect(!SafeText(String(repeating: "é", count: 10), limit: 10).isCut)
        let towering = SafeText("e" + String(repeating: "\u{301}", count: 5_000))
        #expect(towering.string.unicodeScalars.count == SafeText.clusterLimit)
        #expect(towering.width == 1)
    }
}
