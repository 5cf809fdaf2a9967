import Testing

@testable import Terminal

@Suite("A secret being typed")
struct SecretEntryTests {
    private func type(_ text: String) -> (SecretEntry.Outcome, [UInt8]) {
        var entry = SecretEntry()
        var outcome = SecretEntry.Outcome.pending
        for byte in text.utf8 where outcome == .pending { outcome = entry.feed(byte) }
        let bytes = entry.take()
        return (outcome, bytes.withUnsafeBytes { Array($0) })
    }

    @Test(
        "Bytes arrive as typed",
        arguments: [
            ("open sesame\r", "open sesame"), ("пароль 🔑\n", "пароль 🔑"), ("abc\u{7F}d\r", "abd"),
            ("aé🔑\u{7F}\u{7F}\r", "a"), ("wrong\u{15}right\r", "right"), ("\u{7F}\u{7F}x\r", "x"),
            ("a\u{1B}[Ab\u{1B}[<0;1;1Mc\u{1B}[Id\r", "abcd"), ("\u{1B}[200~pasted\u{1B}[201~\r", "pasted"),
            ("\u{1B}[200~pasted\r\n\u{1B}[201~\r", "pasted"), (" spaces \r", " spaces "),
            ("\u{1B}]0;title\u{7}x\r", "x"), ("\r", ""),
        ])
    func typed(_ keys: String, _ secret: String) {
        let (outcome, bytes) = type(keys)
        #expect(outcome == .submitted)
        #expect(bytes == Array(secret.utf8))
    }

    @Test(
        "Ctrl-C gives up, Ctrl-\\ is the panic key, and both forget",
        arguments: [("abc\u{3}", SecretEntry.Outcome.cancelled), ("abc\u{1C}", .panic)])
    func given(_ keys: String, _ expected: SecretEntry.Outcome) {
        let (outcome, bytes) = type(keys)
        #expect(outcome == expected)
        #expect(bytes.isEmpty)
    }

    @Test("ESC alone gives up when the time is out")
    func escape() {
        var entry = SecretEntry()
        _ = entry.feed(0x61)
        let outcome = entry.feed(0x1B)
        let wait = entry.wait
        let late = entry.timeOut()
        let isEmpty = entry.isEmpty
        #expect(outcome == .pending && wait == 50 && late == .cancelled && isEmpty)
    }

    @Test("A paste of several lines and one that is too long are refused whole")
    func refused() {
        #expect(type("\u{1B}[200~one\ntwo\u{1B}[201~\r") == (.refused, []))
        #expect(type(String(repeating: "x", count: SecretEntry.limit + 1) + "\r") == (.refused, []))
        #expect(type(String(repeating: "x", count: SecretEntry.limit) + "\r").0 == .submitted)
    }
}
