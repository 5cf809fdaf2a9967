import Base
import Testing

@testable import CommandLine

@Suite("Shell words")
struct ShellWordsTests {
    @Test(
        "A line is split as a POSIX shell splits it",
        arguments: [
            ("", []),
            ("  \t ", []),
            ("send a@b.c hello", ["send", "a@b.c", "hello"]),
            ("send a@b.c 'two words'", ["send", "a@b.c", "two words"]),
            ("a\"b c\"d", ["ab cd"]),
            ("''", [""]),
            ("\"\" x", ["", "x"]),
            (#"a\ b"#, ["a b"]),
            (#""a\"b\\c\$d\`e\n""#, [#"a"b\c$d`e\n"#]),
            (#"'a\b'"#, [#"a\b"#]),
            ("$HOME *.txt ~ `x`", ["$HOME", "*.txt", "~", "`x`"]),
            ("e\u{301}\u{200D}", ["e\u{301}\u{200D}"]),
            // A combining mark after a quote joins it to one Character, but not to one scalar.
            ("'a'\u{301}", ["a\u{301}"]),
        ] as [(String, [String])])
    func splits(line: String, words: [String]) throws {
        #expect(try shellWords(line).map { Array($0.utf8) } == words.map { Array($0.utf8) })
    }

    @Test("An unclosed quote and a backslash at the end are refused", arguments: ["'a", "\"a", "a\\", #"""# + "a\\\""])
    func refuses(line: String) {
        #expect(throws: Failure(.inputInvalid)) { try shellWords(line) }
    }
}
