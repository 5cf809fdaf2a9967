import Application
import Base
import Domain
import Support
import Testing

@testable import XMPPLink

/// Against a scripted server with stream management (XEP-0198) that misuses it, or has changed while we were away.
@Suite(.serialized, .timeLimit(.minutes(1))) struct WrongManagementTests {
    @Test("Used as it should be, it acknowledges what was sent")
    func managed() async throws {
        try await withHostileLink("managed") { link, sink, account, _ in
            _ = try await link.connect(account, sink: sink)
            let stanzas = try (0..<3).map { try LinkFixture.message("\($0)") }
            try await link.submit(stanzas)
            await sink.wait { $0.acknowledged == stanzas.map(\.id) }
        }
    }

    @Test(
        "A count that cannot be acknowledges nothing and ends the stream for good",
        arguments: ["count-too-high", "count-backwards"])
    func counts(scenario: String) async throws {
        try await withHostileLink(scenario) { link, sink, account, server in
            for count in 1...2 {
                let summary = try await link.connect(account, sink: sink)
                #expect(!summary.isResumed)
                // Ends at the next count at the latest.
                try? await link.submit([try LinkFixture.message("one"), try LinkFixture.message("two")])
                await sink.wait { $0.ends.count == count }
            }
            #expect(await sink.ends == [Failure(.streamInvalid), Failure(.streamInvalid)])
            #expect(await sink.acknowledged.count <= 2)
            let resumptions = server.fixture.taken { $0["xml"]?.string?.contains("resume ") == true }
            #expect(resumptions.isEmpty)
        }
    }

    @Test("A server that answers pings and no longer acknowledges is left, and nothing counts as taken")
    func mute() async throws {
        try await withHostileLink("count-mute", { $0.silenceMilliseconds = 200 }) { link, sink, account, server in
            _ = try await link.connect(account, sink: sink)
            try await link.submit([try LinkFixture.message("into the void")])
            await sink.wait { $0.ends == [Failure(.serverTimeout)] }
            #expect(await sink.acknowledged.isEmpty)
            let summary = try await link.connect(account, sink: sink)
            #expect(!summary.isResumed)
        }
    }

    @Test("A resumption that is answered with nonsense is not tried again")
    func nonsense() async throws {
        try await withHostileLink("resume-nonsense") { link, sink, account, _ in
            _ = try await link.connect(account, sink: sink)
            await sink.wait { $0.ends.count == 1 }
            await #expect(throws: Failure(.streamInvalid)) { _ = try await link.connect(account, sink: sink) }
            let summary = try await link.connect(account, sink: sink)
            #expect(!summary.isResumed)
            await sink.wait { $0.texts == ["after"] }
        }
    }

    @Test("A resumption that is never answered is tried twice, then no more")
    func silence() async throws {
        try await withHostileLink("resume-silent", { $0.connectMilliseconds = 1000 }) { link, sink, account, _ in
            _ = try await link.connect(account, sink: sink)
            await sink.wait { $0.ends.count == 1 }
            for _ in 0..<2 {
                await #expect(throws: Failure(.netTimeout)) { _ = try await link.connect(account, sink: sink) }
            }
            let summary = try await link.connect(account, sink: sink)
            #expect(!summary.isResumed)
            await sink.wait { $0.texts == ["after"] }
        }
    }

    @Test(
        "A password that was changed while we were away is refused at the next sign-in, also with its stretching kept")
    func changedPassword() async throws {
        try await withHostileLink("password-changed") { link, sink, account, _ in
            _ = try await link.connect(account, sink: sink)
            await sink.wait { $0.ends.count == 1 }
            for _ in 0..<2 {
                await #expect(throws: Failure(.authRefused)) { _ = try await link.connect(account, sink: sink) }
            }
        }
    }
}
