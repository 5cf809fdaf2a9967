import Application
import Base
import Domain
import Glibc
import Support
import Synchronization
import Terminal
import Testing

@testable import TerminalUI

/// A pseudo-terminal with a person at it: types, and waits until words show.
private final class Person: Sendable {
    let keyboard: Int32
    let line: Int32
    private let screen: Mutex<(model: ScreenModel, raw: String)>

    init(columns: UInt16 = 80, rows: UInt16 = 24) {
        var ends: (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        #expect(openpty(&ends.0, &ends.1, nil, nil, &size) == 0)
        (keyboard, line) = ends
        screen = Mutex((ScreenModel(columns: Int(columns), rows: Int(rows)), ""))
        _ = fcntl(keyboard, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(keyboard)
        close(line)
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(write(keyboard, bytes, bytes.count) == bytes.count)
    }

    /// Reads on until the screen shows `text`.
    func waitFor(_ text: String) async throws {
        try await wait(text) { $0.model.text.contains(text) }
    }

    /// Reads on until a sequence was sent.
    func waitFor(sequence: String) async throws {
        try await wait(String(sequence.dropFirst())) { $0.raw.contains(sequence) }
    }

    /// Everything that was sent, as it was sent.
    var raw: String {
        readOn()
        return screen.withLock { $0.raw }
    }

    private func wait(_ name: String, _ isThere: ((model: ScreenModel, raw: String)) -> Bool) async throws {
        for _ in 0..<1_000 {
            readOn()
            if screen.withLock({ isThere($0) }) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("\(name) never came; the screen shows:\n\(screen.withLock { $0.model.text })")
        type("\u{1C}")
        throw CancellationError()
    }

    private func readOn() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(keyboard, &buffer, buffer.count)
            guard count > 0 else { return }
            let bytes = buffer[..<count]
            screen.withLock { screen in
                screen.model.feed(bytes)
                screen.raw += String(decoding: bytes, as: UTF8.self)
            }
        }
    }
}

private struct NoFiles: FileOpening {
    func read(path: String, limit: Int) throws(Failure) -> [UInt8] { throw Failure(.fileUnreadable) }
}

@Suite("The program on a terminal", .serialized, .timeLimit(.minutes(1)))
struct RunTests {
    private let time = TimeSource(
        now: { Desk.noon }, boottime: { 1_000_000 }, bootID: { [] },
        sleep: { try await Task.sleep(for: .milliseconds($0)) })

    private func run(
        _ person: Person, _ services: FakeServices, creates: Int64? = nil,
        lockRequests: AsyncStream<Void> = AsyncStream { $0.finish() }
    ) async throws -> ScreenEnd {
        var options = TerminalUIOptions(lockRequests: lockRequests)
        options.input = person.line
        options.output = person.line
        options.colors = .none
        options.clock = LocalClocks.utc
        options.creates = creates
        return try await runTerminalUI(
            services: services, descriptors: nil, files: NoFiles(), time: time, options: options)
    }

    private func services() async throws -> FakeServices {
        let services = FakeServices(passcode: "open sesame", echoes: true)
        await services.add(
            profile: ProfileSettings(name: try ProfileName("work"), jid: try JID("me@here.example"), isPlain: true))
        await services.add(contact: try JID("anna@example.org"), name: "Anna")
        await services.set(now: Desk.noon)
        return services
    }

    @Test("From passcode to message, answer and lock; the terminal is left as it was found")
    func wholeWay() async throws {
        let person = Person()
        let services = try await services()
        var before = termios()
        tcgetattr(person.line, &before)
        async let end = run(person, services)
        try await person.waitFor(sequence: "\u{1B}[?1049h")
        try await person.waitFor("Passcode")
        person.type("wrong\r")
        try await person.waitFor("opens nothing here")
        person.type("open sesame\r")
        try await person.waitFor("Anna")
        person.type("\u{1B}[1;3B")
        try await person.waitFor("No messages yet")
        person.type("hello there\r")
        try await person.waitFor("You said: hello there")
        person.type("/lock\r")
        #expect(try await end == .locked)
        let calls = await services.calls
        #expect(calls.contains(.send(to: "anna@example.org", text: "hello there", plain: false)))
        #expect(calls.last == .lock)
        try await person.waitFor(sequence: "\u{1B}[?1049l")
        var after = termios()
        tcgetattr(person.line, &after)
        #expect(after.c_lflag == before.c_lflag && after.c_iflag == before.c_iflag && after.c_oflag == before.c_oflag)
        #expect(!person.raw.contains("open sesame"))
    }

    @Test("The panic key clears the screen and the scrollback, then locks")
    func panic() async throws {
        let person = Person()
        let services = try await services()
        async let end = run(person, services)
        try await person.waitFor("Passcode")
        person.type("open sesame\r")
        try await person.waitFor("Anna")
        person.type("\u{1C}")
        #expect(try await end == .panicked)
        #expect(await services.calls.last == .lock)
        try await person.waitFor(sequence: "\u{1B}[?1049l")
        try await person.waitFor(sequence: "\u{1B}[H\u{1B}[2J\u{1B}[3J")
    }

    @Test("A command that needs a secret asks on the screen, and nothing of it is echoed")
    func commandSecret() async throws {
        let person = Person()
        let services = try await services()
        async let end = run(person, services)
        try await person.waitFor("Passcode")
        person.type("open sesame\r")
        try await person.waitFor("Anna")
        person.type("/passcode change\r")
        try await person.waitFor("Current passcode")
        person.type("one horse\r")
        try await person.waitFor("New passcode")
        person.type("two horses\r")
        try await person.waitFor("The new passcode once more")
        person.type("too horses\r")
        try await person.waitFor("The two were not the same")
        person.type("two horses\r")
        try await person.waitFor("The new passcode once more")
        person.type("two horses\r")
        try await person.waitFor("Done.")
        #expect(await services.calls.contains(.changePasscode))
        person.type("/quit\r")
        #expect(try await end == .quit)
        #expect(!person.raw.contains("horse"))
    }

    @Test("A request from outside locks")
    func lockRequest() async throws {
        let person = Person()
        let services = try await services()
        let (requests, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        async let end = run(person, services, lockRequests: requests)
        try await person.waitFor("Passcode")
        person.type("open sesame\r")
        try await person.waitFor("Anna")
        continuation.yield()
        #expect(try await end == .locked)
    }

    @Test("A vault is made from two equal passcodes")
    func creates() async throws {
        let person = Person()
        let services = FakeServices(passcode: "")
        async let end = run(person, services, creates: 256 << 20)
        try await person.waitFor("New passcode")
        person.type("five random words\r")
        try await person.waitFor("once more")
        person.type("five random words\r")
        #expect(try await end == .created)
        #expect(await services.calls == [.create(.refused)])
    }

    @Test("What is no terminal is refused")
    func noTerminal() async throws {
        let file = open("/dev/null", O_RDWR)
        defer { close(file) }
        var options = TerminalUIOptions()
        options.input = file
        let services = FakeServices(passcode: "")
        await #expect(throws: Failure(.inputInvalid)) {
            _ = try await runTerminalUI(
                services: services, descriptors: nil, files: NoFiles(), time: time, options: options)
        }
    }
}
