import Application
import Base
import CommandLine
import Domain
import Support
import Synchronization
import Testing

/// The shell in words, driven line by line as by a person at a terminal.
@Suite("The shell in words")
struct TextShellTests {
    private let services = FakeServices(passcode: "p")
    private let clock = ManualClock()
    private let keyboard = Keyboard()
    private let output = ShownLines()

    private func shell(isInteractive: Bool = true, idleMinutes: Int64? = nil) -> TextShell {
        TextShell(
            LineShell(
                services: services, secrets: Asked(output), files: NoFile(), input: keyboard, output: output,
                time: clock.source, passcodeDescriptor: nil, isInteractive: isInteractive,
                idleLimit: idleMinutes.map { $0 * 60_000 }))
    }

    /// Runs a session over these lines, and returns what it said between greeting and farewell.
    private func run(_ lines: [InputLine], isInteractive: Bool = true) async -> [String] {
        for line in lines { keyboard.type(line) }
        #expect(await shell(isInteractive: isInteractive).run() == 0)
        if isInteractive { #expect(output.lines.last == "Locked.") }
        return Array(output.lines.dropFirst(2).dropLast(isInteractive ? 1 : 0))
    }

    @Test("Ctrl-C drops what was typed; with nothing typed it locks and leaves")
    func keys() async throws {
        for line in [.interrupt(isEmpty: false), .line("profile list")] as [InputLine] { keyboard.type(line) }
        async let code = shell().run()
        try await until { output.lines.contains("Nothing.") }
        keyboard.type(.interrupt(isEmpty: true))
        #expect(await code == 0)
        #expect(output.lines.dropFirst(2) == ["", "Nothing.", "", "Locked."])
        #expect(await services.screen() == .locked)
    }

    @Test("Ctrl-Z locks and leaves")
    func suspended() async {
        #expect(await run([.suspend, .line("profile list")]) == [""])
        #expect(await services.screen() == .locked)
    }

    @Test("Ctrl-C reaches the session while a command runs")
    func running() async throws {
        keyboard.type(.line("wait message --timeout 3600"))
        async let code = shell().run()
        try await until { clock.sleepers > 0 }
        keyboard.type(.interrupt(isEmpty: true))
        #expect(await code == 0)
        #expect(output.lines.contains("Locked."))
    }

    @Test("What is typed while a command runs is the next command")
    func typedAhead() async throws {
        keyboard.type(.line("wait message --timeout 60"))
        async let code = shell().run()
        try await until { clock.sleepers > 0 }
        keyboard.type(.line("profile list"))
        clock.advance(milliseconds: 60_000)
        try await until { output.lines.contains("Nothing.") }
        keyboard.type(.end)
        #expect(await code == 0)
        #expect(output.lines.suffix(3) == ["It did not happen in time.", "Nothing.", "Locked."])
    }

    @Test("Nothing typed for the limit locks and leaves; a line starts the time anew")
    func idle() async throws {
        async let code = shell(idleMinutes: 5).run()
        try await until { clock.sleepers > 0 }
        clock.advance(milliseconds: 4 * 60_000)
        keyboard.type(.line("profile list"))
        try await until { output.lines.contains("Nothing.") }
        clock.advance(milliseconds: 4 * 60_000)
        try await until { clock.sleepers > 0 }
        #expect(await services.screen() == .active)
        clock.advance(milliseconds: 60_000)
        #expect(await code == 0)
        #expect(output.lines.last == "Locked: nothing was typed for 5 min.")
        #expect(await services.screen() == .locked)
    }

    @Test("A lock wanted from outside ends a session in lines, also while a command runs")
    func outside() async throws {
        let (requests, request) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let shell = TextShell(
            LineShell(
                services: services, secrets: Asked(output), files: NoFile(), input: keyboard, output: output,
                time: clock.source, passcodeDescriptor: nil, lockRequests: requests))
        keyboard.type(.line("wait message --timeout 3600"))
        async let code = shell.run()
        try await until { clock.sleepers > 0 }
        request.yield()
        #expect(await code == 0)
        #expect(output.lines.last == "Locked.")
        #expect(await services.screen() == .locked)
    }

    @Test(
        "What cannot be taken back is said in full and wants its word; anything else changes nothing",
        arguments: [
            (
                "space add --yes", "replace", "Whatever is in that half, if anything, is replaced",
                FakeServices.Call.addSpace
            ),
            ("profile remove work", "remove", "messages and keys on this machine are gone", .removeProfile("work")),
            ("vault grow 1G", "grow", "It cannot shrink again.", .grow),
        ])
    func confirmed(command: String, word: String, sentence: String, call: FakeServices.Call) async throws {
        await services.add(profile: ProfileSettings(name: try ProfileName("work"), jid: try JID("me@here.example")))
        let answers = await run([
            .line(command), .line("yes"), .line(command), .interrupt(isEmpty: true), .line(command), .line(word), .end,
        ])
        #expect(answers.filter { $0.contains(sentence) }.count == 3)
        #expect(answers.filter { $0 == "To go on, type: \(word)" }.count == 3)
        #expect(answers.filter { $0 == "Nothing was changed." }.count == 2)
        #expect(await services.calls.filter { $0 == call }.count == 1)
    }

    @Test("A program says --yes, and is asked nothing")
    func program() async throws {
        let answers = await run(
            [.line("vault grow 1G"), .line("vault grow 1G --yes"), .line("space add --yes"), .end], isInteractive: false
        )
        #expect(answers.first?.hasSuffix("It cannot shrink again. Say it again with --yes.") == true)
        #expect(await services.calls.suffix(4) == [.grow, .requireOuter, .addSpace, .lock])
    }

    @Test("Where the vault as a whole may not be changed, that is said before a passcode is asked for")
    func notHere() async {
        await services.becomeInner()
        let answers = await run([.line("space add"), .line("replace"), .end])
        #expect(answers.last == "This cannot be done in this space.")
        // The one that opened the space.
        #expect(output.lines.filter { $0 == "asked" }.isEmpty)
    }

    @Test("An account is corrected; a name that is missing or taken is said before a password is asked for")
    func correct() async throws {
        for name in ["home", "work"] {
            await services.add(
                profile: ProfileSettings(name: try ProfileName(name), jid: try JID("\(name)@here.example")))
        }
        let answers = await run([
            .line("profile set nobody --password"), .line("profile set home --name work --password"),
            .line("profile set home --host chat.example --port 443 --password"), .line("profile set home"), .end,
        ])
        #expect(answers[0] == "There is no account of that name here.")
        #expect(answers[1].hasPrefix("An account of that name is already here."))
        #expect(answers[2...3] == ["asked", "Account home: home@here.example (in use)"])
        #expect(answers[4] == "The command's words are not right. Type: help")
        var change = ProfileChange()
        change.server = .set(HostPort(host: "chat.example", port: 443))
        #expect(await services.calls.contains(.changeProfile("home", change, hasPassword: true)))
    }

    @Test("A line that starts with # is none; with blanks before it, it is a command like any other")
    func comments() async {
        #expect(
            await run([.line("# it's a comment"), .line("  # not one"), .line(""), .end]) == [
                "There is no such command. Type: help"
            ])
    }

    private func until(_ isTrue: () async -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while await !isTrue() {
            guard ContinuousClock.now < deadline else { throw Missed("what was waited for", output.lines) }
            await Task.yield()
        }
    }
}

/// Secrets that are asked for; asking leaves a line, except for the passcode at the start.
private struct Asked: SecretInput {
    let output: ShownLines
    init(_ output: ShownLines) { self.output = output }

    func read(_ purpose: SecretPurpose, descriptor: Int32?) async throws(Failure) -> SecretBytes {
        if purpose != .passcode { _ = await output.write(Array("asked".utf8)) }
        return SecretBytes(text: "p")
    }
}

private struct NoFile: FileOpening {
    func read(path: String, limit: Int) async throws(Failure) -> [UInt8] { throw Failure(.fileUnreadable) }
}

/// Lines that a test types, when it likes.
private final class Keyboard: LineSource {
    private let stream: AsyncStream<InputLine>
    private let continuation: AsyncStream<InputLine>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: InputLine.self, bufferingPolicy: .bufferingOldest(100))
    }

    func type(_ line: InputLine) { continuation.yield(line) }

    func next() async -> InputLine {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next() ?? .end
    }
}

private final class ShownLines: LineSink {
    private let shown = Mutex<[String]>([])
    var lines: [String] { shown.withLock { $0 } }

    func write(_ line: [UInt8]) async -> Bool {
        shown.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        return true
    }
}
