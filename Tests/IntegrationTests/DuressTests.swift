import Base
import Support
import Testing

extension Integration {
    @Suite("A duress passcode of the built program", .timeLimit(.minutes(2))) struct DuressPasscode {
        private static let inner = "seven green lanterns in the fog 4"
        private static let duress = "nobody ever reads this far, they say"

        @Test("A duress passcode opens the outer space, and the inner one opens no more")
        func wholeWay() async throws {
            let vault = try await TestVault()
            let shell = try await vault.shell(
                more: [Self.inner, TestVault.passcode, TestVault.passcode + "x", TestVault.passcode, Self.duress])
            try await shell.result("space add --yes --allow-weak")
            #expect(try await shell.run("duress on").code == "confirm.required")
            #expect(try await shell.run("duress on --yes").code == "passcode.similar")
            try await shell.result("duress on --yes")
            #expect(try await shell.quit() == .exit(0))

            let second = try await vault.shell(passcode: Self.inner)
            for command in ["duress on --yes", "duress off --yes"] {
                #expect(try await second.run(command).code == "space.notHere")
            }
            #expect(try await second.quit() == .exit(0))

            // Both: once it destroys, then it is an ordinary passcode.
            for _ in 0..<2 { #expect(try await vault.shell(passcode: Self.duress).quit() == .exit(0)) }
            let gone = try ShellSession(vault: vault.path, passcodes: [Self.inner])
            #expect(try await gone.refusal().code == "unlock.invalid")
            #expect(try await gone.process.ended() == .exit(3))

            let first = try await vault.shell()
            try await first.result("duress off --yes")
            #expect(try await first.quit() == .exit(0))
            let ended = try ShellSession(vault: vault.path, passcodes: [Self.duress])
            #expect(try await ended.refusal().code == "unlock.invalid")
            #expect(try await ended.process.ended() == .exit(3))
        }
    }
}
