import Testing

@testable import Base

@Suite struct PreparationTests {
    @Test func `PRECIS profiles enforce what the vectors say`() throws {
        // OpaqueString takes Freeform's class of code points, and maps but spaces: the rows for it have none to map.
        let profiles: [String: PRECIS] = [
            "OpaqueString": .opaqueString, "Freeform": .opaqueString, "UsernameCaseMapped": .usernameCaseMapped,
        ]
        var checked = 0
        for row in try VectorRow.load("saslprep/precis.jsonl") {
            guard let profile = profiles[row["profile"] ?? ""] else { continue }
            checked += 1
            let prepared = profile.enforce(row["in"] ?? "").map { Array($0.utf8) }
            #expect(prepared == row["out"].map { Array($0.utf8) }, "\(row.id)")
        }
        #expect(checked > 60)
    }

    @Test func `SASLprep prepares text and secrets as the vectors say`() throws {
        for row in try VectorRow.load("saslprep/saslprep.jsonl") {
            let use: SASLprep.Use = row["mode"] == "stored" ? .stored : .query
            let expected = row["out"].map { Array($0.utf8) }
            #expect(SASLprep.prepare(row["in"] ?? "", use).map { Array($0.utf8) } == expected, "\(row.id)")
            let secret = secretBytes(Array((row["in"] ?? "").utf8))
            #expect(plain(SASLprep.prepare(secret, use)) == expected, "\(row.id)")
        }
    }

    @Test(arguments: [
        // A passcode typed in another normal form is the same passcode.
        ("t\u{326}", "\u{21B}"), ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"),
        // Other spaces become the one, at the ends, too.
        (" a\u{A0}b\u{3000}", " a b "),
        // No compatibility mapping and no case folding.
        ("\u{FB01}Fi", "\u{FB01}Fi"), ("\u{1F44D}\u{1F3FD}", "\u{1F44D}\u{1F3FD}"),
    ])
    func `A passcode is prepared as OpaqueString without becoming text`(input: String, expected: String) throws {
        let prepared = try opaqueString(secretBytes(Array(input.utf8)))
        #expect(plain(prepared) == Array(expected.utf8))
    }

    @Test(arguments: [
        ([], ErrorCode.passcodeEmpty), ([0x61, 0x0A], .passcodeInvalid), ([0xFF], .passcodeInvalid),
        ([0x61, 0x00], .passcodeInvalid), ([UInt8](repeating: 0x61, count: 1025), .passcodeInvalid),
    ])
    func `A passcode that the profile refuses is named by a code`(bytes: [UInt8], code: ErrorCode) {
        #expect { _ = try opaqueString(secretBytes(bytes)).count } throws: { ($0 as? Failure)?.code == code }
    }

    @Test(
        arguments: [
            // What is typed, the number of the character as a person counts it, and what is wrong with it.
            ("abc\u{2764}\u{FE0F}d", 4, .joined), ("\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", 1, .joined),
            ("x\u{1F44D}\u{1F3FD}\u{1F1E9}\u{1F1EA}y\u{1F3F3}\u{FE0F}", 5, .joined),
            ("e\u{301}e\u{301}\u{9}", 3, .control),
            ("ab\u{E000}", 3, .other), ("\u{E4}\u{378}", 2, .other), ("1\u{FE0F}\u{20E3}", 1, .joined),
        ] as [(String, Int, FailureDetail.Unusable)])
    func `A passcode's character that cannot be used is named by its number`(
        input: String, character: Int, reason: FailureDetail.Unusable
    ) {
        let refused = Failure(.passcodeInvalid, detail: .unusable(character: character, reason))
        #expect(throws: refused) { _ = try opaqueString(secretBytes(Array(input.utf8))).count }
    }

    private func secretBytes(_ bytes: [UInt8]) -> SecretBytes {
        var secret = SecretBytes(count: bytes.count)
        secret.withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
        return secret
    }

    private func plain(_ secret: consuming SecretBytes?) -> [UInt8]? {
        switch consume secret {
        case .some(let secret): secret.withUnsafeBytes { Array($0) }
        case .none: nil
        }
    }
}
