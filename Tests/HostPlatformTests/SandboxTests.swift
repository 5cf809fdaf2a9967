import CTrials
import Foundation
import Testing

@testable import HostPlatform

/// Each trial in a process of its own. They need a kernel with Landlock and seccomp; one without fails them all.
@Suite("The session's sandbox", .serialized)
struct SandboxTests {
    /// Ended by the filter.
    private static let killed = -SIGSYS

    @Test(
        "What a session has no use for is refused, and what only an intruder would do ends the process",
        arguments: [
            ("list /", TRIAL_LIST, "/", EACCES),
            ("list the home folder", TRIAL_LIST, NSHomeDirectory(), EACCES),
            ("read who has an account", TRIAL_OPEN, "/etc/passwd", EACCES),
            ("read its own program", TRIAL_OPEN, "/proc/self/exe", EACCES),
            ("read the parent's memory", TRIAL_OPEN, "/proc/\(getpid())/mem", EACCES),
            ("read where the parent has what", TRIAL_OPEN, "/proc/\(getpid())/maps", EACCES),
            ("read the parent's environment", TRIAL_OPEN, "/proc/\(getpid())/environ", EACCES),
            ("list the parent's descriptors", TRIAL_LIST, "/proc/\(getpid())/fd", EACCES),
            ("list processes", TRIAL_LIST, "/proc", EACCES),
            ("change a setting of the kernel", TRIAL_OPEN_FOR_WRITING, "/proc/sys/kernel/core_pattern", ENOSYS),
            ("write into a device", TRIAL_OPEN_FOR_WRITING, "/dev/null", ENOSYS),
            ("create a file", TRIAL_CREATE, "/tmp/postern-\(UUID().uuidString)", ENOSYS),
            ("remove a file", TRIAL_UNLINK, "/tmp/postern-\(UUID().uuidString)", ENOSYS),
            ("start a program", TRIAL_EXEC, nil, killed),
            ("start a process", TRIAL_FORK, nil, killed),
            ("trace the parent", TRIAL_PTRACE, nil, killed),
            ("read memory of the parent", TRIAL_READ_PARENT, nil, killed),
            ("signal the parent", TRIAL_SIGNAL_PARENT, nil, ENOSYS),
            ("bind a port", TRIAL_BIND, nil, EACCES),
            ("listen", TRIAL_LISTEN, nil, EACCES),
            ("open a Unix socket", TRIAL_UNIX_SOCKET, nil, ENOSYS),
            ("open a netlink socket", TRIAL_NETLINK_SOCKET, nil, ENOSYS),
            ("open a raw socket", TRIAL_RAW_SOCKET, nil, ENOSYS),
            ("map memory to be executed", TRIAL_EXECUTABLE_MEMORY, nil, ENOSYS),
            ("make memory executable", TRIAL_EXECUTABLE_LATER, nil, ENOSYS),
            ("become dumpable", TRIAL_DUMPABLE, nil, ENOSYS),
            ("allow itself a core", TRIAL_RAISE_LIMIT, nil, ENOSYS),
            ("type into the terminal", TRIAL_TYPE_INTO_TERMINAL, nil, ENOSYS),
            ("mount", TRIAL_MOUNT, nil, killed),
            ("make a namespace", TRIAL_NAMESPACE, nil, killed),
            ("use keyrings", TRIAL_KEYRING, nil, killed),
            ("load a program into the kernel", TRIAL_BPF, nil, killed),
            ("watch performance", TRIAL_PERF, nil, killed),
            ("go around the filter by a ring", TRIAL_IO_URING, nil, killed),
            ("handle page faults", TRIAL_USERFAULTFD, nil, killed),
        ] as [(String, postern_trial, String?, Int32)])
    func refuses(what: String, trial: postern_trial, path: String?, result: Int32) {
        #expect(postern_try(trial, path) == result, "\(what)")
    }

    @Test(
        "What a session needs works",
        arguments: [
            ("read random bytes", TRIAL_OPEN, "/dev/urandom", 0),
            ("read the names of hosts", TRIAL_OPEN, "/etc/hosts", 0),
            ("read the time zone", TRIAL_OPEN, "/etc/localtime", 0),
            ("read authorities", TRIAL_OPEN, "/usr/lib/ssl/cert.pem", 0),
            ("list authorities", TRIAL_LIST, "/usr/lib/ssl/certs", 0),
            ("open a copy that the parent sent by its name", TRIAL_REOPEN_COPY, nil, 0),
            ("see the state of its own threads", TRIAL_OPEN, "/proc/self/stat", 0),
            ("start a thread", TRIAL_THREAD, nil, 0),
            ("signal itself", TRIAL_SIGNAL_SELF, nil, 0),
            ("connect", TRIAL_CONNECT, nil, ECONNREFUSED),
        ] as [(String, postern_trial, String?, Int32)])
    func allows(what: String, trial: postern_trial, path: String?, result: Int32) {
        #expect(postern_try(trial, path) == result, "\(what)")
    }
}
