import Application
import Base
import Testing

@testable import CommandLine

/// Gives these answers in turn, and notes what was asked for.
private actor Answers: SecretInput {
    private var answers: [[UInt8]]
    private(set) var asked: [SecretPurpose] = []

    init(_ answers: [String]) { self.answers = answers.reversed().map { Array($0.utf8) } }

    func read(_ purpose: SecretPurpose, descriptor: Int32?) async throws(Failure) -> SecretBytes {
        asked.append(purpose)
        guard let answer = answers.popLast() else { throw Failure(.inputSecretRequired) }
        var bytes = SecretBytes(count: answer.count)
        bytes.withUnsafeMutableBytes { $0.copyBytes(from: answer) }
        return bytes
    }
}

@Suite("New passcodes on a terminal")
struct TypedTwiceTests {
    @Test(
        "A new passcode is typed twice, any other secret once",
        arguments: [
            (SecretPurpose.newPasscode, [SecretPurpose.newPasscode, .repeatedPasscode]),
            (.otherPasscode, [.otherPasscode, .repeatedPasscode]),
            (.duressPasscode, [.duressPasscode, .repeatedPasscode]),
            (.passcode, [.passcode]), (.password, [.password]),
        ])
    func typed(_ purpose: SecretPurpose, _ expected: [SecretPurpose]) async throws {
        let answers = Answers(["five words", "five words"])
        let secret = try await TypedTwice(answers).read(purpose, descriptor: nil)
        let count = secret.count
        #expect(count == 10)
        #expect(await answers.asked == expected)
    }

    @Test("Two that differ are refused")
    func differ() async {
        await #expect(throws: Failure(.passcodeMismatch)) {
            _ = try await TypedTwice(Answers(["five words", "five wordz"])).read(.newPasscode, descriptor: nil)
        }
    }

    @Test("From a descriptor one is enough")
    func descriptor() async throws {
        let answers = Answers(["five words"])
        let secret = try await TypedTwice(answers).read(.newPasscode, descriptor: 3)
        let count = secret.count
        #expect(count == 10)
    }
}
