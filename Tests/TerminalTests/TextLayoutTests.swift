import Testing

@testable import Terminal

@Suite("Cutting and wrapping")
struct TextLayoutTests {
    @Test("Columns are cut as the vectors say", arguments: Vectors.rows("clip"))
    func clips(_ row: Vectors.Row) throws {
        let cut = TextLayout.clip(SafeText(row.in), from: try #require(row.from_col), to: try #require(row.to_col))
        #expect(cut.string == row.expect)
    }

    @Test(
        "Text too long ends with an ellipsis inside its width",
        arguments: [
            ("hello", 5, "hello"), ("hello!", 5, "hell…"), ("漢字漢", 5, "漢字…"), ("漢字漢", 4, "漢…"), ("ab", 1, "…"),
            ("ab", 0, ""), ("", 3, ""), ("👩‍💻👩‍💻", 3, "👩‍💻…"),
        ])
    func truncates(_ text: String, _ columns: Int, _ expected: String) {
        #expect(TextLayout.truncate(SafeText(text), to: columns).string == expected)
    }

    @Test(
        "Lines break at spaces, else between clusters",
        arguments: [
            ("the quick brown fox", 10, ["the quick", "brown fox"]), ("a\n\nb", 5, ["a", "", "b"]),
            ("abcdefgh", 3, ["abc", "def", "gh"]), ("漢字漢字", 5, ["漢字", "漢字"]), ("", 5, [""]),
            ("ab  cd", 3, ["ab", "cd"]), ("  ab", 4, ["  ab"]), ("one twothree", 5, ["one", "twoth", "ree"]),
            ("漢字", 1, ["漢", "字"]), ("e\u{301}e\u{301}e\u{301}", 2, ["e\u{301}e\u{301}", "e\u{301}"]),
            ("ab漢字cd", 4, ["ab漢", "字cd"]), ("x\n", 4, ["x", ""]),
        ])
    func wraps(_ text: String, _ columns: Int, _ expected: [String]) {
        #expect(TextLayout.wrap(SafeText(text, lines: .many), columns: columns).map(\.string) == expected)
    }
}
