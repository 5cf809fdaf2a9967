import Application
import Base
import Domain
import Glibc
import Support
import Terminal
import Testing

@testable import TerminalUI

private struct NoFiles: FileOpening {
    func read(path: String, limit: Int) throws(Failure) -> [UInt8] { throw Failure(.fileUnreadable) }
}

@Suite("The program on a terminal", .serialized, .timeLimit(.minutes(1)))
struct RunTests {
    private let time = TimeSource(
        now: { Desk.noon }, boottime: { 1_000_000 }, bootID: { [] },
        // The real clock of the loop's tick: nothing in these tests waits for it.
        sleep: { try await Task.sleep(for: .milliseconds($0)) })

    private func run(
        _ person: PseudoTerminal, _ services: FakeServices, creates: Int64? = nil,
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
        let person = PseudoTerminal()
        let services = try await services()
        let before = person.modes
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
        #expect(person.modes == before)
        #expect(!person.raw.contains("open sesame"))
    }

    @Test("The panic key clears the screen and the scrollback, then locks")
    func panic() async throws {
        let person = PseudoTerminal()
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
        let person = PseudoTerminal()
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
        let person = PseudoTerminal()
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
        let person = PseudoTerminal()
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

@Suite("Inputs on their way to the screen")
struct InputQueueTests {
    @Test("A flood of keys leaves keys out, never an answer, and keeps the order of what it keeps")
    func flood() async throws {
        let queue = InputQueue()
        for _ in 0..<(InputQueue.bound + 100) { queue.send(.key(.character("x"))) }
        queue.send(.answer(.closed(.locked)))
        var reader = queue.reader()
        for _ in 0..<InputQueue.bound {
            guard case .key = await reader.next() else { throw Missed("a key", []) }
        }
        guard case .answer(.closed(.locked)) = await reader.next() else { throw Missed("the answer", []) }
        queue.send(.key(.character("y")))
        guard case .key(.character("y")) = await reader.next() else { throw Missed("a later key", []) }
    }

    @Test("Where events were left out the screen is told to read anew")
    func lag() async throws {
        let queue = InputQueue()
        for _ in 0..<InputQueue.bound { queue.send(.key(.character("x"))) }
        queue.send(.app(.subscription(try ProfileName("work"), try JID("a@there.example"))))
        queue.send(.app(.screen(.locked)))
        var reader = queue.reader()
        for _ in 0..<InputQueue.bound { _ = await reader.next() }
        guard case .app(.screen(.locked)) = await reader.next() else { throw Missed("the lock", []) }
        guard case .app(.changed) = await reader.next() else { throw Missed("the word to read anew", []) }
    }
}
