import Base
import Testing

@testable import CommandLine

@Suite("Waiting for events")
struct EventQueueTests {
    private func event(_ name: String, _ members: KeyValuePairs<String, JSON?> = [:]) -> JSON {
        guard case .object(let rest) = JSON.members(members) else { return .null }
        return .object([JSON.Member("event", .string(name))] + rest)
    }

    /// A clock whose sleep ends only by cancellation.
    private let endless = TimeSource(
        now: { Timestamp(milliseconds: 0) }, boottime: { 0 }, bootID: { [] },
        sleep: { _ in
            let (never, _) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            throw CancellationError()
        })
    /// A clock whose sleep is over at once.
    private let instant = TimeSource(
        now: { Timestamp(milliseconds: 0) }, boottime: { 0 }, bootID: { [] }, sleep: { _ in })

    @Test("A wait takes the first match and everything before it")
    func consumes() async throws {
        let queue = EventQueue()
        await queue.add(event("delivery", ["id": .string("1")]))
        await queue.add(event("message", ["n": .number(1)]))
        await queue.add(event("message", ["n": .number(2)]))
        let first = try await queue.next("message", [], within: 0, time: endless)
        #expect(first["n"] == .number(1))
        let second = try await queue.next("message", [], within: 0, time: endless)
        #expect(second["n"] == .number(2))
        await #expect(throws: Failure(.waitTimeout)) {
            try await queue.next("delivery", [], within: 1, time: instant)
        }
    }

    @Test("An event that comes while a wait is being set up is not missed")
    func race() async throws {
        for number in 0..<100 {
            let queue = EventQueue()
            let event = event("message", ["n": .number(Int64(number))])
            let time = TimeSource(
                now: { Timestamp(milliseconds: 0) }, boottime: { 0 }, bootID: { [] },
                sleep: { _ in
                    await queue.add(event)
                    // The deadline of a wait that has missed it.
                    try await Task.sleep(for: .seconds(5))
                })
            #expect(try await queue.next("message", [], within: 0, time: time) == event)
        }
    }

    @Test("A condition looks at members, by path or inside the message")
    func conditions() async throws {
        let queue = EventQueue()
        let message = event(
            "message", ["profile": .string("p"), "message": .members(["body": .string("a=b"), "n": .number(7)])])
        for (key, value) in [("profile", "p"), ("body", "a=b"), ("message.body", "a=b"), ("n", "7")] {
            await queue.add(message)
            let found = try await queue.next(
                "message", [Command.Condition(key: key, value: value)], within: 0, time: endless)
            #expect(found == message)
        }
        await queue.add(message)
        await #expect(throws: Failure(.waitTimeout)) {
            try await queue.next("message", [Command.Condition(key: "body", value: "x")], within: 1, time: instant)
        }
    }

    @Test("An event that comes later ends the wait")
    func blocks() async throws {
        let queue = EventQueue()
        async let found = queue.next("message", [], within: 1_000_000, time: endless)
        // Repeated, because the wait may not have begun when the first one comes; either way it is found.
        await queue.add(event("message"))
        #expect(try await found["event"] == .string("message"))
    }
}
