import Foundation
import Synchronization

/// The answer to one command of `postern shell --json`.
package struct Answer: Sendable {
    package let line: JSON
    package var ok: Bool { line["ok"]?.bool == true }
    /// The result; an empty object where the command failed.
    package var result: JSON { line["result"] ?? .object([:]) }
    package var code: String? { line["error"]?["code"]?.string }
}

/// `postern shell --json` on pipes: commands in, answers by number, events between.
///
/// Passcodes lie behind descriptor 3, account passwords behind descriptor 4, one a line.
package final class ShellSession: Sendable {
    package let process: ChildProcess
    private let lastCommand = Mutex(0)

    package init(
        vault: String, passcodes: [String], passwords: [String] = [], arguments: [String] = [],
        environment: [String: String]? = nil
    ) throws {
        process = try ChildProcess(
            Checkout.program, ["--vault", vault, "shell", "--json", "--passcode-fd", "3"] + arguments,
            descriptors: [3: lines(passcodes), 4: lines(passwords)], environment: environment)
    }

    /// A session in a process that was started otherwise.
    package init(adopting process: ChildProcess) { self.process = process }

    /// Waits until a space is open.
    package func unlocked(within seconds: Double = 20) async throws {
        _ = try await event("unlocked", within: seconds)
    }

    /// Runs a command and returns its answer, good or bad.
    @discardableResult
    package func run(_ command: String, within seconds: Double = 40) async throws -> Answer {
        let number = start(command)
        return try await answer(number, within: seconds, to: command)
    }

    /// Runs a command that has to succeed, and returns its result.
    @discardableResult
    package func result(_ command: String, within seconds: Double = 40) async throws -> JSON {
        let answer = try await run(command, within: seconds)
        guard answer.ok else { throw Missed("success of '\(command)'", process.output.transcript) }
        return answer.result
    }

    /// The list under `key` of a command that has to succeed.
    package func list(_ command: String, _ key: String) async throws -> [JSON] {
        guard let list = try await result(command)[key]?.array else {
            throw Missed("a list '\(key)' from '\(command)'", process.output.transcript)
        }
        return list
    }

    /// What the session says of its connection: the members of `status`.
    package func status(_ key: String) async throws -> JSON? { try await result("status")[key] }

    /// Writes a command without waiting; its number is what `answer` takes.
    package func start(_ command: String) -> Int {
        lastCommand.withLock { last in
            last += 1
            process.write(line: command)
            return last
        }
    }

    package func answer(_ number: Int, within seconds: Double = 40, to command: String = "a command") async throws
        -> Answer
    {
        Answer(line: try await next("the answer to '\(command)'", within: seconds) { $0["id"]?.int == number })
    }

    /// The error before any command (id 0).
    package func refusal(within seconds: Double = 20) async throws -> Answer {
        try await answer(0, within: seconds, to: "the start")
    }

    /// The next event of this name that fits and that nobody has taken, also one from before.
    @discardableResult
    package func event(
        _ name: String, within seconds: Double = 15, where fits: @escaping @Sendable (JSON) -> Bool = { _ in true }
    ) async throws -> JSON {
        try await next("event '\(name)'", within: seconds) { $0["event"]?.string == name && fits($0) }
    }

    /// The incoming message with this text.
    package func message(_ body: String, within seconds: Double = 15) async throws -> JSON {
        let event = try await event("message", within: seconds) { $0["message"]?["body"]?.string == body }
        return event["message"] ?? .null
    }

    /// The event that tells of this message's state.
    @discardableResult
    package func delivery(_ id: String, _ state: String, within seconds: Double = 15) async throws -> JSON {
        try await event("delivery", within: seconds) {
            $0["id"]?.string == id && $0["state"]?.string == state
        }
    }

    /// Every message of the history with `address`, oldest first, page by page.
    package func history(_ address: String) async throws -> [JSON] {
        var all: [JSON] = []
        while true {
            let before = all.first.flatMap { $0["id"]?.string }.map { " --before \($0)" } ?? ""
            let page = try await list("history \(address) --limit 200\(before)", "messages")
            if page.isEmpty { return all }
            all = page + all
        }
    }

    /// Ends its input and waits for its end.
    package func quit(within seconds: Double = 15) async throws -> ProcessEnd {
        process.closeInput()
        return try await process.ended(within: seconds)
    }

    private func next(
        _ what: String, within seconds: Double, where fits: @escaping @Sendable (JSON) -> Bool
    ) async throws -> JSON {
        do {
            return try await process.output.nextJSON(what, within: seconds, where: fits)
        } catch {
            throw Missed("\(what)\n\(error)", process.errors.transcript)
        }
    }
}

private func lines(_ texts: [String]) -> String { texts.map { $0 + "\n" }.joined() }

/// A vault in a folder of its own, made by `postern init`.
package struct TestVault: Sendable {
    package static let passcode = "correct horse battery staple 17"
    package let folder: TemporaryFolder
    package var path: String { folder.file("vault") }

    /// A copy of a new vault with the usual passcode: making one takes a second, copying it does not.
    package init() async throws {
        folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: try await Self.template.value.path, toPath: path)
    }

    private static let template = Task {
        let vault = try await TestVault(passcode: passcode)
        // What is static is never let go: the folder goes when the tests end.
        vault.folder.removeAtExit()
        return vault
    }

    /// A vault of its own, of 64 MiB.
    package init(passcode: String) async throws {
        folder = try TemporaryFolder()
        let process = try ChildProcess(
            Checkout.program,
            ["--vault", path, "init", "--capacity", "64M", "--allow-weak", "--passcode-fd", "3"],
            descriptors: [3: passcode + "\n"])
        guard try await process.ended(within: 60) == .exit(0) else {
            throw Missed("a new vault", process.output.transcript + process.errors.transcript)
        }
    }

    /// A session on it.
    package func shell(
        passcode: String = TestVault.passcode, more: [String] = [], passwords: [String] = [],
        arguments: [String] = []
    ) async throws -> ShellSession {
        let shell = try ShellSession(
            vault: path, passcodes: [passcode] + more, passwords: passwords, arguments: arguments)
        try await shell.unlocked()
        return shell
    }
}
