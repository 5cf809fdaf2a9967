package import Application
import Base
package import Domain
import Synchronization

/// One profile's session on fakes, with what outlives it: the server, and the store's contents.
package final class SessionRig: Sendable {
    package let clock: ManualClock
    package let server: FakeServer
    package let profile: Profile
    package let events = EventLog()

    private struct State {
        var store: MemoryStore
        var link: FakeLink
        var session: ProfileSession
        var seed: UInt64
    }
    private let state: Mutex<State>

    package init(account: String = "romeo@example.org", isPlain: Bool = true, seed: UInt64 = 1) throws {
        let clock = ManualClock()
        let account = try JID(account)
        let server = FakeServer(account: account, clock: clock)
        let profile = Profile(
            id: ProfileID(entropy: .counting(seed: seed)),
            settings: ProfileSettings(name: try ProfileName("work"), jid: account, isPlain: isPlain))
        self.clock = clock
        self.server = server
        self.profile = profile
        let store = MemoryStore()
        let link = FakeLink(server: server)
        let session = Self.session(profile, store, link, clock, seed, events)
        state = Mutex(State(store: store, link: link, session: session, seed: seed))
    }

    private static func session(
        _ profile: Profile, _ store: MemoryStore, _ link: FakeLink, _ clock: ManualClock, _ seed: UInt64,
        _ events: EventLog
    ) -> ProfileSession {
        ProfileSession(
            profile: profile, store: store,
            parts: SessionParts(
                link: { _ in link }, engine: { _ in PlaintextEngine() }, time: clock.source,
                entropy: .counting(seed: seed), log: .off),
            emit: { for event in $0 { events.take(event) } })
    }

    package var store: MemoryStore { state.withLock { $0.store } }
    package var link: FakeLink { state.withLock { $0.link } }
    package var session: ProfileSession { state.withLock { $0.session } }

    /// Starts the session and brings it online.
    package func online() async throws {
        await session.start()
        try await session.connect()
    }

    /// The process ends with no time to do anything, and another one starts on what the disk has.
    package func crash() async {
        let (dead, next) = state.withLock { state in
            let dead = state.store
            state.store = state.store.reopen()
            state.link = FakeLink(server: server)
            state.seed += 1
            let old = state.session
            state.session = Self.session(profile, state.store, state.link, clock, state.seed, events)
            return (dead, old)
        }
        await dead.close()
        await next.close()
        await session.start()
    }

    package func send(_ text: String, to recipient: String = "juliet@example.com") async throws -> MessageID {
        try await session.send(try MessageBody(text), to: try JID(recipient), plain: false)
    }

    package func delivery(_ id: MessageID) -> Delivery? {
        store.peek { try? $0.message(id)?.delivery }
    }

    package var outbox: [OutboxItem] { store.peek { (try? $0.outbox(limit: 100_000)) ?? [] } }

    package func history(_ chat: String = "juliet@example.com") throws -> [Message] {
        let jid = try JID(chat)
        return store.peek { (try? $0.messages(in: jid, before: nil, limit: 100_000)) ?? [] }
    }
}
