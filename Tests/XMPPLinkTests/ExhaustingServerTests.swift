import Application
import Base
import Domain
import Support
import Testing

@testable import XMPPLink

/// Against a scripted server that would keep us waiting, reading or writing without end.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ExhaustingServerTests {
    @Test("A roster beyond the limits ends one stream with its code; the next stream does without it")
    func largeRoster() async throws {
        try await withHostileLink("roster-large") { link, sink, account, _ in
            await #expect(throws: Failure(.streamTooLarge)) { _ = try await link.connect(account, sink: sink) }
            _ = try await link.connect(account, sink: sink)
            await sink.wait { $0.texts == ["after"] }
        }
    }

    @Test("A server that is silent for long is asked whether it is there, again and again, and kept if it answers")
    func asksTheSilent() async throws {
        try await withHostileLink("well-behaved", { $0.silenceMilliseconds = 100 }) { link, sink, account, server in
            _ = try await link.connect(account, sink: sink)
            for _ in 0..<3 {
                _ = try await server.fixture.next("a ping") { $0["xml"]?.string?.contains("urn:xmpp:ping") == true }
            }
            let stanza = try LinkFixture.message("still here")
            try await link.submit([stanza])
            await sink.wait { $0.acknowledged == [stanza.id] }
            #expect(await sink.ends.isEmpty)
        }
    }

    @Test(
        "A silent server that does not answer is left, and one that sends a byte now and then is as good as silent",
        arguments: ["ping-mute", "drip"])
    func leavesTheSilent(scenario: String) async throws {
        let limits = { (limits: inout LinkLimits) in
            limits.silenceMilliseconds = 300
            limits.requestMilliseconds = 300
        }
        try await withHostileLink(scenario, limits) { link, sink, account, _ in
            _ = try await link.connect(account, sink: sink)
            await sink.wait { $0.ends == [Failure(.netTimeout)] }
        }
    }

    @Test("As long as we do not read, because the sink takes its time, the server is not blamed for its silence")
    func ownSilence() async throws {
        let clock = ManualClock()
        try await withHostileServer("crowd") { server in
            let link = LinkFixture.link(time: clock.source)
            let sink = RecordingSink()
            await sink.block()
            let account = try LinkFixture.account(port: server.port, authority: server.authority)
            _ = try await link.connect(account, sink: sink)
            #expect(await becomesTrue { await !link.isReading })
            for _ in 0..<6 {
                clock.advance(milliseconds: 600_000)
                await link.check()
            }
            #expect(await !link.isProbing)
            #expect(await sink.ends.isEmpty)
            await sink.unblock()
            await sink.wait { $0.texts.count == 3001 && $0.texts.last == "after" }
            // Now it is.
            #expect(await becomesTrue { await link.isReading })
            clock.advance(milliseconds: 600_000)
            await link.check()
            #expect(await link.isProbing)
            await link.disconnect()
        }
    }

    @Test("A server that sends its first words byte by byte for ever is left at the deadline")
    func slowStart() async throws {
        try await withHostileLink("drip-start", { $0.connectMilliseconds = 500 }) { link, sink, account, _ in
            let start = ContinuousClock.now
            await #expect(throws: Failure(.netTimeout)) { _ = try await link.connect(account, sink: sink) }
            #expect(ContinuousClock.now - start < .seconds(5))
        }
    }

    @Test("A server that stops reading is left, and what waits for it is bounded")
    func deaf() async throws {
        try await withHostileLink("deaf", { $0.socket.stallMilliseconds = 500 }) { link, sink, account, _ in
            _ = try await link.connect(account, sink: sink)
            let text = String(repeating: "x", count: 1000)
            let stanzas = try (0..<40_000).map { _ in try LinkFixture.message(text) }
            await #expect(throws: Failure(.netClosed)) { try await link.submit(stanzas) }
            await sink.wait { $0.ends == [Failure(.netTimeout)] }
            // Our queue is a mebibyte; the kernel takes some more on both sides.
            #expect(await link.open.count < 20_000)
        }
    }

    @Test("A server that asks without end and does not read the answers is left")
    func flood() async throws {
        try await withHostileLink("deaf-flood") { link, sink, account, _ in
            _ = try await link.connect(account, sink: sink)
            await sink.wait { $0.ends == [Failure(.netTimeout)] }
        }
    }

    @Test("Behind the end of a stream nothing counts, not even another stream")
    func restart() async throws {
        try await withHostileLink("restart") { link, sink, account, _ in
            for count in 1...2 {
                _ = try await link.connect(account, sink: sink)
                await sink.wait { $0.ends == Array(repeating: Failure(.netClosed), count: count) }
            }
            #expect(await sink.texts.isEmpty)
        }
    }
}

extension XMPPLink {
    fileprivate var isReading: Bool { session?.isReading ?? false }
    fileprivate var isProbing: Bool { session?.isProbing ?? false }
    /// What the timer does.
    fileprivate func check() { if let session { checkSilence(session.number) } }
}
