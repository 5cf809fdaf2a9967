import Testing

@testable import Terminal

@Suite("Text width")
struct TextWidthTests {
    @Test("Every vector file has its rows")
    func filesAreThere() {
        #expect(Vectors.rows("width").count == 23)
        #expect(Vectors.rows("clip").count == 15)
        #expect(Vectors.rows("escapes").count == 70)
        #expect(Vectors.rows("graphemes").count == 49)
        #expect(Vectors.rows("naughty").count == 82)
    }

    @Test("Text is as wide as the vectors say", arguments: Vectors.rows("width"))
    func widths(_ row: Vectors.Row) {
        // Terminals give every letter of a Burmese or Khmer stack a cell; the vectors' library folds the stack.
        let perLetter = ["w-032": 3, "w-034": 3]
        #expect(TextWidth.of(row.in) == perLetter[row.id] ?? row.width)
    }

    @Test("Clusters are those of the Unicode test file", arguments: Vectors.rows("graphemes"))
    func clusters(_ row: Vectors.Row) {
        #expect(row.in.map { Array(String($0).utf8) } == row.clusters?.map { Array($0.utf8) })
    }

    @Test(
        "Flags, keycaps, joined emoji and presentation selectors take two cells",
        arguments: ["🇫🇷", "1️⃣", "👩‍👩‍👧‍👦", "❤️", "👍🏽", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "漢", "한"])
    func wide(_ text: String) {
        #expect(text.count == 1)
        #expect(TextWidth.of(text) == 2)
    }

    @Test(
        "Letters with any number of marks take one cell", arguments: ["e\u{301}", "a\u{300}\u{301}\u{302}", "ш", "ﷺ"])
    func narrow(_ text: String) {
        #expect(TextWidth.of(text) == 1)
    }

    @Test("Single letters and ideographs are certain, sequences and emoji are not")
    func certainty() {
        for text: Character in ["a", "é", "ж", "漢", "─"] { #expect(TextWidth.isCertain(text)) }
        for text: Character in ["👍", "👩‍💻", "e\u{301}\u{302}", "❤️", "🇫🇷"] { #expect(!TextWidth.isCertain(text)) }
    }
}
