import Application
import Base
import Domain
import Support
import Testing

@testable import XMPPLink

/// Against a scripted server without stream management that answers wrongly, or not at all.
@Suite(.serialized) struct WrongServerTests {
    private func withLink(
        _ scenario: String, requestMilliseconds: Int64 = 10_000,
        _ body: (XMPPLink, RecordingSink, LinkAccount) async throws -> Void
    ) async throws {
        try await withHostileServer(scenario) { server in
            let link = LinkFixture.link { $0.requestMilliseconds = requestMilliseconds }
            let sink = RecordingSink()
            let account = try LinkFixture.account(port: server.port, authority: server.authority)
            let summary = try await link.connect(account, sink: sink)
            #expect(!summary.isResumed)
            try await body(link, sink, account)
            await link.disconnect()
        }
    }

    private let query = ArchiveQuery(archive: .account, direction: .last, limit: 250)

    @Test("Without stream management an answered ping acknowledges what was sent before it")
    func pingAcknowledges() async throws {
        try await withLink("well-behaved") { link, sink, _ in
            let stanzas = try (0..<3).map { try LinkFixture.message("\($0)") }
            try await link.submit(stanzas)
            await sink.wait { $0.acknowledged.count == 3 }
            #expect(await sink.acknowledged == stanzas.map(\.id))
        }
    }

    @Test("A ping without an answer ends the stream, and what was sent before it never counts as taken")
    func noAnswer() async throws {
        try await withLink("ping-mute", requestMilliseconds: 300) { link, sink, account in
            let stanza = try LinkFixture.message("into the void")
            try await link.submit([stanza])
            await sink.wait { $0.ends == [Failure(.serverTimeout)] }
            #expect(await sink.acknowledged.isEmpty)
            let summary = try await link.connect(account, sink: sink)
            #expect(!summary.isResumed)
            await link.disconnect()
            #expect(await sink.acknowledged.isEmpty)
        }
    }

    @Test("An archive that does not answer is a timeout, and the stream goes on")
    func archiveTimeout() async throws {
        try await withLink("archive-mute", requestMilliseconds: 300) { link, sink, _ in
            await #expect(throws: Failure(.serverTimeout)) { _ = try await link.archivePage(query) }
            let stanza = try LinkFixture.message("still here")
            try await link.submit([stanza])
            await sink.wait { $0.acknowledged == [stanza.id] }
        }
    }

    @Test("A page of more than was asked for is refused whole")
    func flood() async throws {
        try await withLink("archive-flood") { link, _, _ in
            await #expect(throws: Failure(.streamTooLarge)) { _ = try await link.archivePage(query) }
        }
    }

    @Test("Results of another query or of a stranger are in no page and in no conversation")
    func strangers() async throws {
        try await withLink("archive-strangers") { link, sink, _ in
            let page = try await link.archivePage(query)
            #expect(page.items.map(\.id) == ["ours"])
            #expect(page.items.map { $0.message?.body } == ["ours"])
            #expect(await sink.texts.isEmpty)
        }
    }

    @Test("A sink that takes its time delays nothing but itself; closing does not wait for ever")
    func slowSink() async throws {
        try await withHostileServer("well-behaved") { server in
            let link = LinkFixture.link { $0.closeMilliseconds = 400 }
            let sink = RecordingSink()
            await sink.block()
            _ = try await link.connect(
                try LinkFixture.account(port: server.port, authority: server.authority), sink: sink)
            let start = ContinuousClock.now
            await link.disconnect()
            #expect(ContinuousClock.now - start < .seconds(2))
            #expect(await sink.ends.isEmpty)
            await sink.unblock()
            await sink.wait { $0.ends == [nil] }
            #expect(await sink.texts == ["after"])
        }
    }
}
