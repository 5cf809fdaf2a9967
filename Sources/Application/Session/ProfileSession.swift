package import Base
package import Domain

/// The running parts of one profile, and their one owner: store, link, outbox, inbox, archive, connection, tasks.
///
/// Guards whether commands are taken. Closing goes in the order of invariant 8 and leaves nothing behind.
package actor ProfileSession {
    package nonisolated let profile: CurrentProfile

    private let store: any ProfileStorePort
    private let link: any LinkPort
    private let outbox: Outbox
    private let inbox: InboxProcessor
    private let archive: ArchiveSync
    private let keeper: ConnectionKeeper
    private let registry: TaskRegistry
    private let engine: any ProtocolEngine
    private let time: TimeSource
    private let entropy: Entropy
    private let log: Log
    private let emit: @Sendable ([AppEvent]) -> Void

    private let relay = SessionRelay()
    private let quiet = QuietMessages()
    private var takesCommands = true
    private let closing = SerialGate()
    private var isClosed = false

    /// - Parameter emit: takes what windows are told; returns at once.
    package init(
        profile: Profile, store: any ProfileStorePort, parts: SessionParts,
        emit: @escaping @Sendable ([AppEvent]) -> Void
    ) {
        let current = CurrentProfile(profile)
        self.profile = current
        self.store = store
        self.emit = emit
        time = parts.time
        entropy = parts.entropy
        log = parts.log.area("session")
        engine = parts.engine(profile)
        let link = parts.link(profile.id)
        self.link = link
        let account = profile.settings.jid.bare
        let entropy = parts.entropy
        let jitter: @Sendable () -> Jitter = { Jitter(perMille: Int(entropy.number(below: 1000))) }
        let registry = TaskRegistry(time: parts.time)
        self.registry = registry
        let pager = ArchivePager(link: link)
        let outbox = Outbox(
            account: account, store: store, link: link, pager: pager, engine: engine, registry: registry,
            time: parts.time, jitter: jitter, log: parts.log)
        self.outbox = outbox
        let relay = relay
        let quiet = quiet
        let inbox = InboxProcessor(
            account: account, store: store, link: link, outbox: outbox, engine: engine, time: parts.time,
            jitter: jitter, log: parts.log, quiet: quiet,
            notify: { notice in
                switch notice {
                case .subscription(let jid): emit([.subscription(current.settings.name, jid)])
                case .presence: emit([.changed])
                case .linkDidEnd(let failure): await relay.keeper?.streamDidEnd(failure)
                }
            })
        self.inbox = inbox
        let archive = ArchiveSync(pager: pager, inbox: inbox, store: store, time: parts.time, log: parts.log)
        self.archive = archive
        keeper = ConnectionKeeper(
            link: link, registry: registry, time: parts.time, jitter: jitter, log: parts.log,
            account: { () async throws(Failure) in
                try await store.read { (reader) throws(Failure) in
                    LinkAccount(
                        settings: current.settings, resource: try reader.resource(), password: try reader.password(),
                        rosterVersion: try reader.rosterVersion())
                }
            },
            didChange: { state, code in emit([.connection(current.settings.name, state, code)]) },
            willOpen: {
                await inbox.startHolding()
                return await outbox.opening
            },
            didOpen: { summary, opening in
                // Settling first, so that the search begins where the last reading of the archive ended.
                await outbox.streamDidOpen(summary, opening: opening)
                await archive.streamDidOpen(summary)
            })
        relay.keeper = keeper
    }

    /// Starts what runs all the time. Connects nothing.
    package func start() async {
        await keeper.use(inbox)
        let forwarder = ChangeForwarder(profile: profile, quiet: quiet, emit: emit)
        registry.start("change feed") { [store] in await forwarder.run(store.changes) }
    }

    /// Closes in order: commands, network, tasks, checkpoint, keys, database. Idempotent; a second caller waits.
    package func close() async {
        takesCommands = false
        await closing.enter()
        defer { closing.leave() }
        guard !isClosed else { return }
        isClosed = true
        await bounded("disconnect", CloseLimits.networkMilliseconds) { [keeper] in await keeper.close() }
        let left = await registry.shutdown(within: CloseLimits.tasksMilliseconds)
        for name in left { log.error("a task did not end", ["task": name]) }
        do {
            try await store.checkpoint()
        } catch {
            // What is committed is in the log of the cell, and is replayed at the next opening.
            log.warning("no checkpoint", ["code": error.code])
        }
        await store.close()
        relay.keeper = nil
    }

    /// Takes changed settings; a connection that is there stays as it is, the next attempt uses them.
    package func take(_ settings: ProfileSettings) { profile.settings = settings }

    /// Stores another password, for the next attempt to sign in.
    package func setPassword(_ password: SharedSecret) async throws(Failure) {
        try check()
        try await store.write { (transaction) throws(Failure) in try transaction.setPassword(password.bytes) }
    }

    /// Runs `body`, and goes on without it when it takes too long.
    private func bounded(
        _ name: StaticString, _ milliseconds: Int64, _ body: @escaping @Sendable () async -> Void
    ) async {
        let tasks = TaskRegistry(time: time)
        tasks.start(name, body)
        for name in await tasks.drain(within: milliseconds) { log.error("closing goes on without", ["task": name]) }
    }

    private func check() throws(Failure) {
        guard takesCommands else { throw Failure(.sessionEnded) }
    }

    private func read<Value: Sendable>(
        _ body: @Sendable (any StoreReader) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try check()
        return try await store.read(body)
    }
}

// MARK: Connection

extension ProfileSession {
    package func connect() async throws(Failure) {
        try check()
        try await keeper.connect()
    }

    package func disconnect() async throws(Failure) {
        try check()
        await keeper.disconnect()
    }

    package func status() async throws(Failure) -> StatusView {
        let count = try await read { (reader) throws(Failure) in try reader.outboxCount() }
        let state = await keeper.state
        return StatusView(
            profile: profile.settings.name, connection: state.connection, code: state.code, link: state.link,
            outbox: count, security: profile.settings.isPlain ? .plaintext : nil)
    }

    private func online() async throws(Failure) {
        try check()
        guard await keeper.state.connection == .online else { throw Failure(.netOffline) }
    }
}

// MARK: People

extension ProfileSession {
    package func addContact(_ jid: JID) async throws(Failure) {
        try await online()
        try await link.addContact(jid.bare)
    }

    package func acceptContact(_ jid: JID) async throws(Failure) {
        try await online()
        await link.send([.acceptSubscription(jid.bare)])
    }

    package func contacts() async throws(Failure) -> [Contact] {
        let items = try await read { (reader) throws(Failure) in try reader.roster() }
        let presences = await inbox.presences(of: items.map(\.jid))
        return zip(items, presences).map { Contact(item: $0, presence: $1) }
    }
}

// MARK: Messages

extension ProfileSession {
    package func send(_ body: MessageBody, to recipient: JID, plain: Bool) async throws(Failure) -> MessageID {
        let id = MessageID(entropy: entropy)
        try await store([(id, MessageDraft(body: body, to: recipient, plain: plain))])
        return id
    }

    package func send(_ drafts: [MessageDraft]) async throws(Failure) -> [MessageID] {
        let named = drafts.map { (MessageID(entropy: entropy), $0) }
        try await store(named)
        return named.map(\.0)
    }

    private func store(_ drafts: [(id: MessageID, draft: MessageDraft)]) async throws(Failure) {
        try check()
        guard profile.settings.isPlain || drafts.allSatisfy(\.draft.plain) else { throw Failure(.encryptionRequired) }
        let now = time.now()
        try await outbox.send(
            drafts.map { id, draft in
                Message(
                    id: id, chat: draft.to.bare, from: profile.settings.jid.bare, direction: .outgoing,
                    body: draft.body, at: now, delivery: .queued, security: .plaintext)
            })
    }

    package func retry(_ id: MessageID) async throws(Failure) {
        try check()
        try await outbox.retry(id)
    }

    package func chats() async throws(Failure) -> [ChatSummary] {
        try await read { (reader) throws(Failure) in try reader.chats() }
    }

    package func history(of chat: JID, before: MessageID?, limit: Int) async throws(Failure) -> [Message] {
        try await read { (reader) throws(Failure) in
            try reader.messages(in: chat.bare, before: before, limit: min(max(limit, 0), ViewLimits.messages))
        }
    }

    package func search(_ text: String, limit: Int) async throws(Failure) -> [Message] {
        try await read { (reader) throws(Failure) in
            try reader.search(text, limit: min(max(limit, 0), ViewLimits.messages))
        }
    }

    package func outboxItems() async throws(Failure) -> [OutboxItem] {
        try await read { (reader) throws(Failure) in try reader.outbox(limit: ViewLimits.messages) }
    }

    package func loadOlder(of chat: JID) async throws(Failure) -> Bool {
        try await online()
        guard await keeper.state.link?.hasArchive == true else { return false }
        return try await archive.loadOlder(of: chat.bare)
    }

    package func markSeen(_ chat: JID) async throws(Failure) {
        try check()
        let chat = chat.bare
        // Nothing tells a stranger that somebody reads here.
        let unmarked = try await store.write { (transaction) throws(Failure) -> MessageID? in
            let unmarked = try transaction.unmarked(in: chat)
            try transaction.markRead(chat)
            guard unmarked != nil else { return nil }
            if try transaction.rosterItem(chat) != nil { return unmarked }
            return try transaction.hasOutgoing(in: chat) ? unmarked : nil
        }
        if let unmarked { await link.send([.displayed(id: unmarked.text, to: chat)]) }
    }
}

/// How many rows a window gets at once at most.
package enum ViewLimits {
    package static let messages = 10_000
}

/// How long the steps of closing may take; together within the 3 seconds that `lock` promises.
package enum CloseLimits {
    package static let networkMilliseconds: Int64 = 1000
    package static let tasksMilliseconds: Int64 = 1500
}
