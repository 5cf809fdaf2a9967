import Application
import Base
import Domain
import Support
import Synchronization
import Testing

/// What closing a profile came to, in order.
private enum Step: Equatable {
    /// A command was refused while the network was being closed.
    case refused
    case network
    /// The consumer of the change feed, which is one of the session's tasks, was cancelled.
    case tasks
    case checkpoint
    /// The store forgets its key and closes its database in one go (`ProfileStorePort.close`).
    case closed
    /// Something was still written.
    case wrote
}

private final class Journal: Sendable {
    private let state = Mutex<[Step]>([])
    func note(_ step: Step) { state.withLock { $0.append(step) } }
    func clear() { state.withLock { $0 = [] } }
    var steps: [Step] { state.withLock { $0 } }
}

/// A store that says what is asked of it.
private final class WatchedStore: ProfileStorePort {
    private let store = MemoryStore()
    private let journal: Journal
    let changes: AsyncStream<StoreChanges>

    init(_ journal: Journal) {
        self.journal = journal
        let (changes, continuation) = AsyncStream.makeStream(of: StoreChanges.self)
        continuation.onTermination = { reason in
            if case .cancelled = reason { journal.note(.tasks) }
        }
        self.changes = changes
    }

    func read<Value: Sendable>(
        _ body: @Sendable (any StoreReader) throws(Failure) -> Value
    ) async throws(Failure) -> Value { try await store.read(body) }

    func write<Value: Sendable>(
        _ body: @Sendable (any StoreTransaction) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        journal.note(.wrote)
        return try await store.write(body)
    }

    func checkpoint() async throws(Failure) {
        journal.note(.checkpoint)
        try await store.checkpoint()
    }

    func close() async {
        journal.note(.closed)
        await store.close()
    }
}

/// A link that says when its stream is ended, and lets a test act just before.
private final class WatchedLink: LinkPort {
    private let link: FakeLink
    private let journal: Journal
    private let beforeEnd = Mutex<(@Sendable () async -> Void)?>(nil)

    init(_ link: FakeLink, _ journal: Journal) {
        self.link = link
        self.journal = journal
    }

    func atEnd(_ body: @escaping @Sendable () async -> Void) { beforeEnd.withLock { $0 = body } }

    func connect(_ account: LinkAccount, sink: any LinkSink) async throws(Failure) -> LinkSummary {
        try await link.connect(account, sink: sink)
    }
    func submit(_ stanzas: [OutgoingStanza]) async throws(Failure) { try await link.submit(stanzas) }
    func send(_ courtesies: [Courtesy]) async { await link.send(courtesies) }
    func archivePage(_ query: ArchiveQuery) async throws(Failure) -> ArchivePage {
        try await link.archivePage(query)
    }
    func addContact(_ jid: JID) async throws(Failure) { try await link.addContact(jid) }
    func disconnect() async {
        if let body = beforeEnd.withLock({ $0 }) { await body() }
        journal.note(.network)
        await link.disconnect()
    }
}

struct ClosingTests {
    @Test("Invariant 8: a profile closes commands, network, tasks, checkpoint, then key and database, in this order")
    func order() async throws {
        let clock = ManualClock()
        let account = try JID("romeo@example.org")
        let journal = Journal()
        let link = WatchedLink(FakeLink(server: FakeServer(account: account, clock: clock)), journal)
        let session = ProfileSession(
            profile: Profile(
                id: ProfileID(entropy: .counting()),
                settings: ProfileSettings(name: try ProfileName("work"), jid: account, isPlain: true)),
            store: WatchedStore(journal),
            parts: SessionParts(
                link: { _ in link }, engine: { _ in PlaintextEngine() }, time: clock.source, entropy: .counting(),
                log: .off),
            emit: { _ in })
        await session.start()
        try await session.connect()
        let chat = try JID("juliet@example.com")
        _ = try await session.send(MessageBody("before"), to: chat, plain: false)
        #expect(await becomesTrue { (try? await session.status().outbox) == 0 })
        link.atEnd {
            do throws(Failure) {
                _ = try await session.send(MessageBody("too late"), to: chat, plain: false)
            } catch {
                if error.code == .sessionEnded { journal.note(.refused) }
            }
        }
        journal.clear()
        await session.close()
        #expect(journal.steps == [.refused, .network, .tasks, .checkpoint, .closed])
        await session.close()
        #expect(journal.steps.count == 5)
    }
}
