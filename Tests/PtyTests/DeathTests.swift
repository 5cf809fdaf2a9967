import Glibc
import Support
import Testing

extension ScreenSessionTests {
    /// Whom a signal goes to.
    enum Victim: Sendable { case parent, child }

    @Test(
        "Whoever dies of whatever, the terminal is as it was, nothing is left on it, and no process stays",
        arguments: [
            (Victim.parent, SIGKILL), (.parent, SIGTERM), (.parent, SIGHUP), (.parent, SIGTSTP), (.parent, SIGSEGV),
            (.child, SIGKILL), (.child, SIGTERM), (.child, SIGHUP), (.child, SIGTSTP), (.child, SIGSEGV),
            (.child, SIGSYS),
        ])
    func death(victim: Victim, signal: Int32) async throws {
        let vault = try await TestVault()
        let terminal = PseudoTerminal()
        let before = terminal.modes
        let program = try TerminalProgram(
            Checkout.program, ["--vault", vault.path], on: terminal,
            // Swift's backtracer would hold a parent that crashed up, which has no secret to keep from it.
            environment: ["TERM=xterm-256color", "HOME=/nonexistent", "LANG=C.UTF-8", "SWIFT_BACKTRACE=enable=no"])
        try await unlock(program)
        let child = try #require(program.children.first)
        #expect(terminal.modes != before)
        kill(victim == .parent ? program.pid : child, signal)
        let end = try await program.ended()
        #expect(end == .exit(1) || (victim == .parent && end == .signal(signal)))
        #expect(await becomesTrue { kill(child, 0) != 0 })
        #expect(await becomesTrue { terminal.modes == before && terminal.raw.contains("\u{1B}[?1049l") })
        let shown = terminal.raw
        #expect(terminal.modes == before)
        // Cleared before it is left: some terminals keep the other screen.
        let leaving = try #require(shown.range(of: "\u{1B}[2J\u{1B}[?2026l", options: .backwards))
        for mode in ["[?1006l", "[?1004l", "[?2004l", "[?1049l", "[23;0t"] {
            #expect(shown[leaving.lowerBound...].contains(mode), "\(mode) after the death")
        }
        #expect(!shown[leaving.upperBound...].contains("Add your account"))
    }

    @Test("A terminal that takes nothing more keeps no process with keys, not even without a parent")
    func frozen() async throws {
        let vault = try await TestVault()
        let terminal = PseudoTerminal()
        let program = try TerminalProgram(
            Checkout.program, ["--vault", vault.path], on: terminal,
            environment: ["TERM=xterm-256color", "HOME=/nonexistent", "LANG=C.UTF-8"])
        try await unlock(program)
        let child = try #require(program.children.first)
        _ = fcntl(terminal.line, F_SETFL, O_RDWR | O_NONBLOCK)
        let noise = [UInt8](repeating: 0x20, count: 4096)
        // Nobody reads it from here on. While the kernel moves things about, there may be room for some more.
        var room = pollfd(fd: terminal.line, events: Int16(POLLOUT), revents: 0)
        while poll(&room, 1, 200) > 0 { _ = write(terminal.line, noise, noise.count) }
        kill(program.pid, SIGKILL)
        #expect(await becomesTrue { kill(child, 0) != 0 })
        _ = try await program.ended()
    }
}
