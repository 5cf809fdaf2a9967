import Glibc
import Support
import Testing

extension ScreenSessionTests {
    /// Runs `body` with a program that listens to a stand-in of logind and has a space open.
    private func withLogind(_ body: (TerminalProgram, Fixture) async throws -> Void) async throws {
        let vault = try await TestVault()
        try await withFixture("servers/logind.py", []) { logind in
            let place = try await logind.next("the bus", within: 20) { $0["address"] != nil }
            let program = try TerminalProgram(
                Checkout.program, ["--vault", vault.path], on: PseudoTerminal(),
                environment: [
                    "TERM=xterm-256color", "HOME=/nonexistent", "TZ=UTC", "LANG=C.UTF-8",
                    "DBUS_SYSTEM_BUS_ADDRESS=\(try #require(place["address"]?.string))",
                ])
            try await unlock(program)
            try await logind.happens("inhibited")
            try await body(program, logind)
        }
    }

    @Test("The desktop's lock locks the session, another person's does not, and one of nobody known does")
    func desktopLock() async throws {
        try await withLogind { program, logind in
            let first = try #require(program.children.first)
            logind.write("lock other")
            // Two more rounds: what came before them was dealt with.
            for _ in 0..<2 {
                logind.write("wake")
                try await logind.happens("inhibited")
            }
            #expect(program.children == [first])
            for session in ["mine", "unknown"] {
                let child = try #require(program.children.first)
                let begin = ContinuousClock.now
                logind.write("lock \(session)")
                #expect(await becomesTrue { kill(child, 0) != 0 })
                // Nothing is connected: all there is to do is to close the databases.
                #expect(ContinuousClock.now - begin < .seconds(3))
                if session == "mine" { try await unlock(program) }
            }
        }
    }

    @Test("The machine sleeps when the session is locked, and not before; after waking the next sleep waits again")
    func announcedSleep() async throws {
        try await withLogind { program, logind in
            for _ in 0..<2 {
                let child = try #require(program.children.first)
                logind.write("sleep")
                try await logind.happens("released")
                #expect(kill(child, 0) != 0)
                logind.write("wake")
                try await logind.happens("inhibited")
                try await unlock(program)
            }
        }
    }

    @Test("A session that does not lock when it should is ended within four seconds, and the terminal is usable")
    func stubborn() async throws {
        try await withLogind { program, logind in
            let child = try #require(program.children.first)
            kill(child, SIGSTOP)
            let begin = ContinuousClock.now
            logind.write("sleep")
            try await logind.happens("released")
            #expect(kill(child, 0) != 0)
            #expect(ContinuousClock.now - begin < .seconds(4))
            try await program.terminal.waitFor("Passcode ›", seconds: 20)
        }
    }
}

extension Fixture {
    fileprivate func happens(_ event: String) async throws {
        _ = try await next(event, within: 20) { $0["ev"]?.string == event }
    }
}
