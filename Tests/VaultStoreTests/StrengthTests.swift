import Base
import Testing

@testable import VaultStore

extension VaultStoreTests {
    @Suite struct StrengthTests {
        @Test(
            "What a guesser tries first is refused, with the reason",
            arguments: [
                ("password", .word), ("P4ssw0rd", .word), ("qwertyuiop", .word), ("aaaaaaaaaaaaaa", .repetition),
                ("abcdefghijkl", .sequence), ("2019-05-05", .date), ("xq7", .short), ("mju76yhnbgt5", .keyboard),
            ] as [(String, FailureDetail.Weakness)])
        func weak(passcode: String, weakness: FailureDetail.Weakness) {
            let error = #expect(throws: Failure.self) {
                try PasscodeStrength.require(secret(passcode), allowsWeak: false)
            }
            #expect(error?.code == .passcodeWeak)
            guard case .guessable(let hours, let found)? = error?.detail else {
                Issue.record("no estimate")
                return
            }
            #expect(found == weakness)
            #expect(hours < PasscodeStrength.hoursWanted)
            #expect(throws: Never.self) { try PasscodeStrength.require(secret(passcode), allowsWeak: true) }
        }

        @Test("A passcode of some random words or characters is taken")
        func strong() throws {
            for passcode in [
                "violet anchor meadow 77", "correct horse battery staple", "x8#Kq2!mZp4&", "trunk ölgötze ski lamp",
            ] {
                try PasscodeStrength.require(secret(passcode), allowsWeak: false)
            }
        }

        @Test(
            "Characters beyond ASCII are no stronger than letters of a word: six of them are weak, whatever bytes say")
        func foreign() {
            #expect(throws: Failure.self) { try PasscodeStrength.require(secret("пароль"), allowsWeak: false) }
            // Six times 4 bits: 2^23 guesses on average, 35.6 a second.
            #expect(PasscodeStrength.estimate(secret("пароль")).hours == 66)
        }

        @Test("The longest passcode is estimated in bounded time")
        func longest() {
            let long = String(repeating: "correct horse ", count: 73)
            let elapsed = ContinuousClock().measure { _ = PasscodeStrength.estimate(secret(long)) }
            #expect(elapsed < .seconds(1))
        }

        @Test("The hours are the average of all guesses at 16 cores of 0.45 s")
        func hours() {
            // zxcvbn: 2^20 guesses or so for six random digits; 35.6 a second find one in 2^19 / 35.6 s on average.
            let hours = PasscodeStrength.estimate(secret("839274")).hours
            #expect((1...8).contains(hours))
        }
    }
}
