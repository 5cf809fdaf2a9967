import Application
import Base
internal import CPlatform
internal import CSandbox
import Glibc

/// What holds for a session's process on this machine. Tries it, in a process of its own where it cannot be undone.
struct ProcessExamination {
    let system: SystemFiles

    init(system: SystemFiles = SystemFiles()) { self.system = system }

    var findings: [Finding] { [sandbox, memory, cores, locking] }

    private var sandbox: Finding {
        var state = postern_sandbox()
        let holds = postern_sandbox_holds(&state)
        return Self.sandbox(landlock: state.landlock, filter: state.filter, holds: holds)
    }

    static func sandbox(landlock: Int32, filter: Bool, holds: Bool) -> Finding {
        guard holds else {
            return Finding(
                .sandbox, .warn, "a session can do what its sandbox should not let it",
                advice: "please report this with the kernel's version: uname -r")
        }
        if landlock > 0, filter {
            return Finding(
                .sandbox, .ok, "sessions are held by Landlock (version \(landlock)) and seccomp; both were tried")
        }
        let missing = [landlock > 0 ? nil : "Landlock", filter ? nil : "seccomp"].compactMap { $0 }
        return Finding(
            .sandbox, .warn,
            "this kernel has no \(missing.joined(separator: " and no ")): a flaw in the program can reach more",
            advice: landlock > 0
                ? nil : "Linux 5.13 or newer has it; it may have to be named on the kernel's line: lsm=landlock,…")
    }

    private var memory: Finding {
        let size = SecretArena.capacity / 1024
        let isLocked = SecretArena.isLocked
        // The kernel's own count, not only its word.
        let counted = (system.text("/proc/self/status") ?? "").split(separator: "\n")
            .first { $0.hasPrefix("VmLck:") }?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
                Int($0)
            }
        if isLocked, (counted ?? size) >= size {
            return Finding(.memory, .ok, "keys stay in memory: \(size) KiB are locked")
        }
        return Finding(
            .memory, .warn,
            "memory for keys cannot be locked (limit \(postern_lock_limit() / 1024) KiB): keys may be swapped out",
            advice: "raise the limit: ulimit -l \(size), or memlock in /etc/security/limits.conf")
    }

    private var cores: Finding {
        let scope = system.word("/proc/sys/kernel/yama/ptrace_scope").flatMap { Int($0) } ?? 0
        let pattern = system.word("/proc/sys/kernel/core_pattern") ?? ""
        let place = pattern.hasPrefix("|") ? "a program takes cores here" : "cores are files here"
        return Finding(
            .cores, .ok,
            "sessions write no core (\(place)) and cannot be traced by your other programs (ptrace_scope \(scope))")
    }

    private var locking: Finding {
        if postern_logind_answers(1_000) {
            return Finding(.locking, .ok, "the desktop's lock and sleep lock the session; sleep waits for it")
        }
        return Finding(
            .locking, .note, "no logind: the desktop's lock is not heard, and a sleep is noticed on waking",
            advice: "lock before you leave: Ctrl+L, or the idle limit")
    }
}
