import Base
import Testing

@testable import VaultStore

extension VaultStoreTests {
    @Suite struct LikenessTests {
        private static let present = "correct Horse 17"

        @Test(
            "A passcode that a slip could make of the present one is alike",
            arguments: [
                // The same; one edit; two edits; swapped neighbours, with an edit between them.
                present, "corect Horse 17", "correct Horsee 17", "corrext Hprse 17", "ocrrect Hosre 17",
                "crorect Hrose 17",
                "correct Horse 1",
                // Cut short, entered too early, pasted twice, with more behind.
                "c", "correct", "correct Horse ", "correct Horse 17correct Horse 17", "correct Horse 17 and more",
                // Its first keys lost, typed before the prompt; the middle; something before it.
                "orrect Horse 17", "Horse 17", "7", "ct Ho", "and correct Horse 17",
                // Caps lock; case and an edit.
                "CORRECT hORSE 17", "correct horse 17", "CORECT HORSE 17",
                // Another layout: Russian, German, French; beginnings and an edit there.
                "сщккусе Рщкыу 17", "сщккусе", "сщккусе Рщкые 17", "СЩККУСЕ рЩКЫУ 17", "correct Horse &è",
            ])
        func alike(new: String) {
            let isAlike = Self.areAlike(new, Self.present)
            #expect(isAlike)
        }

        private static func areAlike(_ a: String, _ b: String) -> Bool {
            PasscodeLikeness.areAlike(secret(a), secret(b))
        }

        @Test("The same the other way round, for layouts that exchange letters")
        func layouts() {
            // "azerty" on a French keyboard is "qwerty" on an American one; y and z change places on a German one.
            #expect(Self.areAlike("azerty und mehr", "qwerty und ;ehr"))
            #expect(Self.areAlike("lazy crazy zephyr", "layz crayz yephzr"))
            #expect(Self.areAlike("ghbdtn vbh ckjdj", "привет мир слово"))
            #expect(Self.areAlike("привет мир слово", "ghbdtn vbh ckjdj"))
        }

        @Test(
            "Three edits away is far enough",
            arguments: ["korrekt Horze 17", "correct 17 Horse", "Xorrect Horse 42", "not this at all", "xyz"])
        func unlike(new: String) { #expect(!Self.areAlike(new, Self.present)) }

        @Test(
            "Edits are counted as Damerau and Levenshtein do, up to three",
            arguments: [
                ("", "", 0), ("", "ab", 2), ("abc", "", 3), ("abcdef", "abcdef", 0), ("abcd", "abxcd", 1),
                ("abcd", "acd", 1), ("abcd", "axcd", 1), ("abcd", "acbd", 1), ("abcd", "badc", 2),
                // With an edit between the swapped letters: two here, three where swaps must stand alone.
                ("ca", "abc", 2), ("abc", "ca", 2), ("xcay", "xabcy", 2),
                ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("abcdef", "fedcba", 3), ("a\u{1F511}b", "ab", 1),
            ])
        func edits(a: String, b: String, expected: Int) {
            for (a, b) in [(a, b), (b, a)] {
                guard let left = SecretText(utf8: secret(a)), let right = SecretText(utf8: secret(b)) else {
                    Issue.record("not decoded")
                    return
                }
                let edits = PasscodeLikeness.edits(left, right)
                #expect(edits == expected)
            }
        }

        @Test("Each layout has a character for every key, and each key of one has its counterpart on the others")
        func keyboards() {
            for layout in KeyboardLayout.allCases {
                #expect(layout.keys.count == 94)
                #expect(Set(layout.keys).count >= 92)
            }
            #expect(KeyboardLayout.exchanges.count == 12)
            let toRussian = KeyboardLayout.american.typed(on: .russian)
            #expect(toRussian[UInt32(UnicodeScalar("q").value)] == UnicodeScalar("й").value)
            #expect(toRussian[UInt32(UnicodeScalar("M").value)] == UnicodeScalar("Ь").value)
        }

        @Test("The longest passcodes are compared, too", .timeLimit(.minutes(1)))
        func long() {
            let a = String(repeating: "long passcode ", count: 73)
            let b = String(repeating: "quite another ", count: 73)
            #expect(Self.areAlike(a, a + "x"))
            #expect(!Self.areAlike(b, a))
        }
    }
}
