import Foundation
import Glibc
import Synchronization

/// How a process ended.
package enum ProcessEnd: Sendable, Equatable {
    case exit(Int32)
    case signal(Int32)
}

/// A program under test: its standard streams are pipes, further descriptors hold what it is given to read, and it is
/// in a process group of its own. It is killed, and waited for, when its owner lets go.
package final class ChildProcess: Sendable {
    package let pid: Int32
    /// Standard output, line by line.
    package let output: LineQueue
    /// Standard error, line by line.
    package let errors: LineQueue
    private let input: Mutex<Int32?>
    private let end: Mutex<ProcessEnd?> = Mutex(nil)
    /// Held while descriptors are made and a program is started: for a moment they are inheritable, and one that slips
    /// into another program would keep its pipe open.
    private static let starting = Mutex(())

    /// - Parameters:
    ///   - descriptors: bytes that the program finds behind these numbers (3 and up); at most 60 KiB each.
    ///   - environment: the whole environment; nil is this process's own.
    package init(
        _ program: String, _ arguments: [String], descriptors: [Int32: String] = [:],
        environment: [String: String]? = nil
    ) throws {
        signal(SIGPIPE, SIG_IGN)
        let (pid, input, output, errors) = try Self.starting.withLock { _ in
            try Self.start(program, arguments, descriptors: descriptors, environment: environment)
        }
        self.pid = pid
        self.input = Mutex(input)
        self.output = LineQueue(reading: output)
        self.errors = LineQueue(reading: errors)
    }

    deinit {
        closeInput()
        kill(SIGKILL, group: true)
        _ = waitNow(blocking: true)
    }

    /// Writes a line to its standard input; a program that is gone takes nothing.
    package func write(line: String) { write(line: Array(line.utf8)) }

    /// The same for a line that need not be text.
    package func write(line: [UInt8]) {
        input.withLock { descriptor in
            if let descriptor { writeAll(line + [UInt8(ascii: "\n")], to: descriptor) }
        }
    }

    package func closeInput() {
        input.withLock { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
    }

    /// Sends a signal to it, or to every process of its group.
    package func kill(_ signal: Int32, group: Bool = false) {
        end.withLock { end in
            // Until it is waited for, its number is its own; and a group is there while one member lives.
            if end == nil || group { _ = Glibc.kill(group ? -pid : pid, signal) }
        }
    }

    /// The processes it has started that still run.
    package var children: [Int32] {
        let list = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        return (list ?? "").split(separator: " ").compactMap { Int32($0) }
    }

    /// Waits until it has ended.
    package func ended(within seconds: Double = 10) async throws -> ProcessEnd {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < deadline {
            if let end = waitNow(blocking: false) { return end }
            // There is no event for it that needs no thread of its own.
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Missed("the end of a process", [])
    }

    private func waitNow(blocking: Bool) -> ProcessEnd? {
        end.withLock { end in
            if let end { return end }
            var status: Int32 = 0
            guard waitpid(pid, &status, blocking ? 0 : WNOHANG) == pid else { return nil }
            let signal = status & 0x7f
            end = signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal)
            return end
        }
    }

    private static func start(
        _ program: String, _ arguments: [String], descriptors: [Int32: String], environment: [String: String]?
    ) throws -> (pid: Int32, input: Int32, output: Int32, errors: Int32) {
        let toChild = try Pipe()
        let fromChild = try Pipe()
        let complaints = try Pipe()
        var plan: [(source: Int32, target: Int32)] = [
            (toChild.readEnd, 0), (fromChild.writeEnd, 1), (complaints.writeEnd, 2),
        ]
        for (target, text) in descriptors {
            let pipe = try Pipe()
            writeAll(Array(text.utf8), to: pipe.writeEnd)
            close(pipe.writeEnd)
            plan.append((pipe.readEnd, target))
        }
        defer { for (source, _) in plan { close(source) } }
        let pid = try spawn(program, arguments, plan: plan, environment: environment)
        return (pid, toChild.writeEnd, fromChild.readEnd, complaints.readEnd)
    }

    private static func spawn(
        _ program: String, _ arguments: [String], plan: [(source: Int32, target: Int32)],
        environment: [String: String]?
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (source, target) in plan { posix_spawn_file_actions_adddup2(&actions, source, target) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let variables = environment ?? ProcessInfo.processInfo.environment
        let argv = CStrings([program] + arguments)
        let envp = CStrings(variables.map { "\($0)=\($1)" })
        var pid: pid_t = 0
        let failure = posix_spawnp(&pid, program, &actions, &attributes, argv.pointers, envp.pointers)
        guard failure == 0 else { throw Missed("the start of \(program): error \(failure)", []) }
        return pid
    }
}

/// A pipe whose ends are not inherited and lie above every number that a test hands out.
private struct Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Missed("a pipe", []) }
        readEnd = fcntl(ends[0], F_DUPFD_CLOEXEC, 200)
        writeEnd = fcntl(ends[1], F_DUPFD_CLOEXEC, 200)
        close(ends[0])
        close(ends[1])
    }
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if written < 0 && errno == EINTR { continue }
        guard written > 0 else { return }
        rest = rest.dropFirst(written)
    }
}

/// A null-terminated array of C strings.
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        count = strings.count
        pointers = .allocate(capacity: count + 1)
        for (index, string) in strings.enumerated() { pointers[index] = strdup(string) }
        pointers[count] = nil
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}
