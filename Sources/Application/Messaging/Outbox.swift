package import Base
package import Domain

/// The one door out: stores what a person sends, seals it, hands it to the link in order, and keeps it until the server
/// has taken it or it has visibly failed (invariant 6).
///
/// Guards which items are on their way on the open stream; the items themselves are the store's.
package actor Outbox {
    /// How long to wait after the store failed.
    private static let storeRetryMilliseconds: Int64 = 5000

    private let account: JID
    private let store: any ProfileStorePort
    private let link: any LinkPort
    private let search: OutcomeSearch
    private let engine: any ProtocolEngine
    private let registry: TaskRegistry
    private let time: TimeSource
    private let jitter: @Sendable () -> Jitter
    private let limits: OutboxLimits
    private let log: Log

    /// Grows with each stream that opens or ends, so that what began before notices.
    private var stream = 0
    private var isOpen = false
    /// Handed to the open stream, or on the way to it.
    private var onThisStream: Set<MessageID> = []
    /// Handed to the stream before, which may be resumed.
    private var onLastStream: Set<MessageID> = []
    /// Submitted once, with an unknown outcome.
    private var unsettled: Set<MessageID> = []
    private var isWorking = false
    private var wantsWork = false
    private var timer: TaskRegistry.Registration?

    /// - Parameter account: the profile's bare address.
    package init(
        account: JID, store: any ProfileStorePort, link: any LinkPort, pager: ArchivePager,
        engine: any ProtocolEngine, registry: TaskRegistry, time: TimeSource, jitter: @escaping @Sendable () -> Jitter,
        log: Log, limits: OutboxLimits = OutboxLimits()
    ) {
        self.account = account
        self.store = store
        self.link = link
        self.engine = engine
        self.registry = registry
        self.time = time
        self.jitter = jitter
        self.log = log.area("outbox")
        self.limits = limits
        search = OutcomeSearch(account: account, pager: pager)
    }

    // MARK: A person's wishes

    /// Stores messages and their outbox rows in one transaction. Throws `outbox.full` and storage codes; then nothing is
    /// stored.
    package func send(_ messages: [Message]) async throws(Failure) {
        try await store.write { (transaction) throws(Failure) in
            for message in messages { _ = try transaction.enqueue(message) }
        }
        work()
    }

    /// Puts a failed message back, under its own id.
    package func retry(_ id: MessageID) async throws(Failure) {
        _ = try await store.write { (transaction) throws(Failure) in try transaction.retry(id) }
        work()
    }

    // MARK: What the stream does

    /// The place in the outbox's count of streams at which one begins; `streamDidOpen` takes it back.
    package var opening: Int { stream }

    /// A stream is open. What an earlier one, or an earlier process, left with an unknown outcome is settled first;
    /// other conversations go on meanwhile. Returns when that is done or given up.
    /// - Parameter opening: as it was before the stream was opened: one that has ended since opens nothing.
    package func streamDidOpen(_ summary: LinkSummary, opening: Int) async {
        guard stream == opening else { return }
        stream += 1
        let current = stream
        if summary.isResumed {
            onThisStream = onLastStream
            unsettled.subtract(onLastStream)
        }
        onLastStream = []
        guard let left = await leftWithUnknownOutcome(on: current), stream == current else { return }
        unsettled = Set(left)
        isOpen = true
        work()
        if !unsettled.isEmpty { await settle(hasArchive: summary.hasArchive, on: current) }
    }

    /// Tries until the store answers; nil when the stream has ended first.
    private func leftWithUnknownOutcome(on current: Int) async -> [MessageID]? {
        while stream == current {
            let open = onThisStream
            do {
                return try await store.read { (reader) throws(Failure) in
                    try reader.submitting().filter { !open.contains($0) }
                }
            } catch {
                log.error("cannot read what was left", ["code": error.code])
            }
            guard (try? await time.sleep(Self.storeRetryMilliseconds)) != nil else { return nil }
        }
        return nil
    }

    /// The stream ended: what was on its way has an unknown outcome, unless the next one resumes it.
    package func streamDidEnd() {
        stream += 1
        isOpen = false
        unsettled.formUnion(onThisStream)
        onLastStream.formUnion(onThisStream)
        onThisStream = []
    }

    /// The inbox committed news of these: accepted, refused, or to be tried again.
    package func didSettle(_ ids: [MessageID]) {
        guard !ids.isEmpty else { return }
        onThisStream.subtract(ids)
        onLastStream.subtract(ids)
        unsettled.subtract(ids)
        work()
    }

    // MARK: The worker

    private func work() {
        wantsWork = true
        guard isOpen, !isWorking else { return }
        isWorking = true
        if registry.start("outbox", { await self.run() }) == nil { isWorking = false }
    }

    private func run() async {
        while wantsWork, isOpen, !Task.isCancelled {
            wantsWork = false
            do {
                while isOpen, !Task.isCancelled, try await submitBatch() {}
            } catch {
                log.error("cannot work", ["code": error.code])
                wake(afterMilliseconds: Self.storeRetryMilliseconds)
                break
            }
        }
        isWorking = false
        // What came in while the last batch was refused waits for the stream; what came in after it does not.
        if wantsWork, isOpen, !Task.isCancelled { work() }
    }

    /// - Returns: whether there may be more to submit at once.
    private func submitBatch() async throws(Failure) -> Bool {
        let current = stream
        let count = try await store.read { (reader) throws(Failure) in try reader.outboxCount() }
        // Everything that is left is on its way: nothing to plan.
        guard count > onThisStream.count, stream == current else { return false }
        let planner = OutboxPlanner(
            account: account, engine: engine, limits: limits, onThisStream: onThisStream, now: time.now(),
            jitter: jitter())
        let plan = try await store.write { (transaction) throws(Failure) in try planner.plan(in: transaction) }
        if let next = plan.nextRetry {
            wake(afterMilliseconds: min(next.milliseconds - time.now().milliseconds, Backoff.outbox.capMilliseconds))
        }
        guard !plan.stanzas.isEmpty else { return false }
        let ids = plan.stanzas.map(\.id)
        guard stream == current else {
            try await takeBack(ids)
            return false
        }
        onThisStream.formUnion(ids)
        do {
            try await link.submit(plan.stanzas)
        } catch {
            guard error.code == .netOffline else {
                log.warning("the outcome of a submission is unknown", ["code": error.code])
                return false
            }
            onThisStream.subtract(ids)
            onLastStream.subtract(ids)
            unsettled.subtract(ids)
            try await takeBack(ids)
            return false
        }
        return true
    }

    /// Nothing of it was handed over.
    private func takeBack(_ ids: [MessageID]) async throws(Failure) {
        try await store.write { (transaction) throws(Failure) in
            for id in ids {
                guard let item = try transaction.outboxItem(id) else { continue }
                var machine = OutboxMachine(resuming: item, isThisStream: true)
                _ = try carryOut(machine.handle(.didNotHandOver), of: machine.item, account: account, in: transaction)
            }
        }
    }

    private func wake(afterMilliseconds milliseconds: Int64) {
        if let timer { registry.cancel(timer) }
        timer = registry.start("outbox timer") { [time] in
            guard (try? await time.sleep(max(milliseconds, 1))) != nil else { return }
            await self.work()
        }
    }

    // MARK: Unknown outcomes

    private func settle(hasArchive: Bool, on current: Int) async {
        let wanted = unsettled
        do {
            let (items, cursor) = try await store.read { (reader) throws(Failure) in
                var items: [OutboxItem] = []
                for id in wanted { if let item = try reader.outboxItem(id) { items.append(item) } }
                return (items, try reader.cursor(of: .account))
            }
            let finding =
                hasArchive ? try await search.look(for: items, cursor: cursor) : OutcomeSearch.Finding.nothing
            guard stream == current else { return }
            try await store.write { (transaction) throws(Failure) in
                for id in wanted {
                    guard let item = try transaction.outboxItem(id) else { continue }
                    var machine = OutboxMachine(resuming: item)
                    let archiveID = finding.found[id]
                    let input: OutboxMachine.Input =
                        archiveID != nil
                        ? .didFindInArchive : finding.isComplete ? .didMissInArchive : .didFailToSettle
                    _ = try carryOut(machine.handle(input), of: machine.item, account: account, in: transaction)
                    if let archiveID { try transaction.noteArchived(id, archiveID: archiveID) }
                }
            }
        } catch {
            // The stream ended meanwhile, or the store failed: the next stream begins anew.
            log.warning("outcomes stay open", ["code": error.code])
            return
        }
        guard stream == current else { return }
        didSettle(Array(wanted))
    }
}
