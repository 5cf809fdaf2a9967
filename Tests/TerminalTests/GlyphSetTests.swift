import Testing

@testable import Terminal

@Suite("A terminal without UTF-8")
struct GlyphSetTests {
    @Test(
        "The locale says which characters there are, in the order of POSIX",
        arguments: [
            ([:], .ascii), (["LANG": "C.UTF-8"], .unicode), (["LANG": "de_DE.utf8"], .unicode),
            (["LANG": "en_US"], .ascii), (["LANG": "ru_RU.KOI8-R"], .ascii), (["LANG": "POSIX"], .ascii),
            (["LC_ALL": "C", "LANG": "en_US.UTF-8"], .ascii), (["LC_ALL": "", "LANG": "en_US.UTF-8"], .unicode),
            (["LC_CTYPE": "en_US.UTF-8@euro", "LANG": "C"], .unicode),
            (["LANG": "en_GB.UTF-8"], .unicode), (["LANG": "sr_RS.UTF-8@latin"], .unicode), (["LANG": "C"], .ascii),
            (["LANG": ""], .ascii),
            (["LC_ALL": "en_US.UTF-8", "LC_CTYPE": "C"], .unicode),
        ] as [([String: String], GlyphSet)])
    func locale(variables: [String: String], glyphs: GlyphSet) {
        #expect(GlyphSet.detect { variables[$0] } == glyphs)
    }

    @Test(
        "Text is ASCII of the same width: lines and marks by their counterparts, letters without accents",
        arguments: [
            ("plain ~", "plain ~"), ("─│╭╮╰╯━▌›", "-|++++=|>"), ("● ○ ✓✓ · …", "* o ++ - ."),
            ("Zażółć gęślą jaźń", "Zazolc gesla jazn"), ("Kovač, Ångström, e\u{301}, ñ", "Kovac, Angstrom, e, n"),
            ("“don’t” – «so»", "\"don't\" - <so>"), ("Привет", "??????"), ("漢字", "????"), ("👍🏽 ok", "?? ok"),
            ("\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "??"),
        ])
    func counterparts(text: String, shown: String) {
        #expect(GlyphSet.ascii.shown(text) == shown)
        #expect(TextWidth.of(text) == TextWidth.of(shown))
        #expect(GlyphSet.unicode.shown(text) == text)
    }

    @Test("Whatever is drawn, not a byte beyond ASCII leaves for such a terminal, and the columns stay")
    func frame() {
        var surface = Surface(size: Size(columns: 20, rows: 2))
        surface.put("╭─ Zoë 漢 👩‍🚀 ✓ x", at: Point(column: 0, row: 0), Style(attributes: .bold))
        surface.put("│", at: Point(column: 19, row: 1), Style(attributes: .bold))
        var renderer = Renderer(depth: .sixteen, glyphs: .ascii)
        let bytes = renderer.frame(surface)
        #expect(bytes.allSatisfy { $0 < 0x80 })
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("+- Zoe ?? ?? + x"))
        #expect(text.contains("\u{1B}[2;20H|"))
    }
}
