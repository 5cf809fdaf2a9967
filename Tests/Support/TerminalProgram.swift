import Glibc
import Synchronization
import Testing

/// The program under test on a pseudo-terminal of its own, as the leader of a session there. Killed, and waited for,
/// when its owner lets go.
package final class TerminalProgram: Sendable {
    package let terminal: PseudoTerminal
    package let pid: Int32
    private let end = Mutex<ProcessEnd?>(nil)
    /// POSIX_SPAWN_SETSID of <spawn.h>, which Swift does not see.
    private static let setSession: Int16 = 0x80

    /// - Parameter environment: the whole environment.
    package init(
        _ program: String, _ arguments: [String], on terminal: PseudoTerminal,
        environment: [String] = ["TERM=xterm-256color", "HOME=/nonexistent", "TZ=UTC", "LANG=C.UTF-8"]
    ) throws {
        self.terminal = terminal
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // A session leader without a terminal gets the first one it opens.
        posix_spawn_file_actions_addopen(&actions, 0, terminal.name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Self.setSession | Int16(POSIX_SPAWN_SETSIGMASK))
        var pid: pid_t = 0
        let argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        let envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        guard posix_spawn(&pid, program, &actions, &attributes, argv, envp) == 0 else {
            throw Missed("the start of \(program)", [])
        }
        self.pid = pid
    }

    deinit {
        guard end.withLock({ $0 == nil }) else { return }
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    /// The processes it has started that still run.
    package var children: [Int32] {
        guard let file = fopen("/proc/\(pid)/task/\(pid)/children", "r") else { return [] }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 4096)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return [] }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: " ").compactMap { Int32($0) }
    }

    /// Waits until it has ended.
    package func ended(within seconds: Int = 10) async throws -> ProcessEnd {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < deadline {
            let known = end.withLock { end in
                var status: Int32 = 0
                if end == nil, waitpid(pid, &status, WNOHANG) == pid {
                    let signal = status & 0x7F
                    end = signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
                }
                return end
            }
            // A program that writes at its end waits until somebody reads.
            _ = terminal.raw
            if let known { return known }
            // There is no event for it that needs no thread of its own.
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Missed("the end of the program", [terminal.text])
    }
}
