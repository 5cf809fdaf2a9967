package import Base
import Domain

/// Brings the account's archive into the store: forward from where it was read, backward when a person scrolls.
///
/// What arrives live meanwhile waits in the inbox, so that what is older stands before it. Guards whether the archive
/// was read to its end since the stream began.
package actor ArchiveSync {
    /// Delay before another pass after one that failed, and how many of those there are on one stream.
    static let retryMilliseconds: Int64 = 20_000
    static let retryLimit = 3
    /// Passes in a row while more comes live than is held.
    static let overflowPasses = 8
    /// Pages that one wish for older messages reads at most while they hold nothing for the chat.
    static let olderPages = 4

    private let pager: ArchivePager
    private let inbox: InboxProcessor
    private let store: any ProfileStorePort
    private let time: TimeSource
    private let log: Log
    private let scrolling = SerialGate()
    private var isCaughtUp = false

    package init(
        pager: ArchivePager, inbox: InboxProcessor, store: any ProfileStorePort, time: TimeSource, log: Log
    ) {
        self.pager = pager
        self.inbox = inbox
        self.store = store
        self.time = time
        self.log = log.area("archive")
    }

    /// Reads to the end of the archive, unless a resumed stream has missed nothing. Returns when that is done, given up,
    /// or the task was cancelled.
    package func streamDidOpen(_ summary: LinkSummary) async {
        if !summary.isResumed { isCaughtUp = false }
        if isCaughtUp || !summary.hasArchive {
            if case .success(false) = await release() { return }
            // What was not stored is in the archive, beyond the cursor.
            isCaughtUp = false
            guard summary.hasArchive else { return }
            await inbox.startHolding()
        }
        for attempt in 0...Self.retryLimit {
            let failure = await passes()
            isCaughtUp = failure == nil
            guard let failure else { return }
            log.warning("reading the archive failed", ["code": failure.code, "attempt": attempt])
            guard failure.code != .netOffline, !Task.isCancelled, attempt < Self.retryLimit,
                (try? await time.sleep(Self.retryMilliseconds)) != nil
            else { return }
            await inbox.startHolding()
        }
    }

    /// Passes until nothing that came live was left to the archive. Ends holding, whatever comes of it.
    private func passes() async -> Failure? {
        for _ in 0..<Self.overflowPasses {
            let failure = await pass(.account)
            switch await release() {
            case .failure(let problem): return failure ?? problem
            case .success(let isMore):
                guard failure == nil, isMore else { return failure }
            }
            await inbox.startHolding()
        }
        // Holding has to end some time: this pass brings what was left out, and live messages go before it.
        if case .failure(let problem) = await release() { return problem }
        return await pass(.account)
    }

    private func release() async -> Result<Bool, Failure> {
        do {
            return .success(try await inbox.stopHolding())
        } catch {
            return .failure(error)
        }
    }

    /// Fetches older messages until the chat has some, the archive begins, or four pages are read.
    /// - Returns: whether there may be more.
    package func loadOlder(of chat: JID) async throws(Failure) -> Bool {
        await scrolling.enter()
        defer { scrolling.leave() }
        for _ in 0..<Self.olderPages {
            let known = try await store.read { (reader) throws(Failure) in try reader.cursor(of: .account) }
            guard var cursor = known, !cursor.isComplete, let oldest = cursor.oldest else { return known == nil }
            let page = try await pager.page(
                ArchiveQuery(archive: .account, direction: .before(oldest), limit: ArchiveMachine.pageLimit))
            // The server's own position, also where the page holds nothing to show.
            let isStuck = page.first == nil || page.first == oldest
            cursor.oldest = page.first ?? oldest
            cursor.isComplete = page.isComplete || isStuck
            let moved = cursor
            let chats = try await inbox.store(
                page, of: .account, placement: .olderPage, areNews: false, cursor: moved)
            if moved.isComplete || chats.contains(chat) { return !moved.isComplete }
        }
        return true
    }

    private func pass(_ archive: ArchiveName) async -> Failure? {
        let cursor: ArchiveCursor?
        do {
            cursor = try await store.read { (reader) throws(Failure) in try reader.cursor(of: archive) }
        } catch {
            return error
        }
        var machine = ArchiveMachine(archive: archive)
        var step = Step(machine.handle(.didStart(cursor)))
        var page: ArchivePage?
        var isHistory = machine.isFirstPass
        while !Task.isCancelled {
            // The next page travels while this one is written.
            let query = step.request
            async let answer = fetch(query)
            if let commit = step.commit, let page {
                do {
                    _ = try await inbox.store(
                        page, of: archive, placement: .newerPage, areNews: !isHistory, cursor: commit.cursor,
                        restarts: commit.restarts)
                } catch {
                    _ = machine.handle(.didFailCommit(error.code))
                    _ = await answer
                    return error
                }
            }
            switch await answer {
            case .success(let received):
                page = received
                isHistory = machine.isFirstPass
                step = Step(machine.handle(.didReceive(Self.summary(received))))
            case .failure(let failure):
                let isLost = failure.code == .netOffline || failure.code == .netClosed
                step = Step(machine.handle(isLost ? .didLoseStream : .didFailPage(failure.code)))
            case nil: return step.failure
            }
        }
        return Failure(.netOffline)
    }

    /// nil without a query.
    private func fetch(_ query: ArchiveQuery?) async -> Result<ArchivePage, Failure>? {
        guard let query else { return nil }
        do {
            return .success(try await pager.page(query))
        } catch {
            return .failure(error)
        }
    }

    private static func summary(_ page: ArchivePage) -> ArchiveMachine.Page {
        ArchiveMachine.Page(
            first: page.first, last: page.last, isComplete: page.isComplete,
            lastAt: page.items.last?.message?.stamp)
    }

    /// A machine's answer, sorted: first what to write, beside it what to ask for, or how it ended.
    private struct Step {
        var commit: (cursor: ArchiveCursor, restarts: Bool)?
        var request: ArchiveQuery?
        var failure: Failure?

        init(_ actions: [ArchiveMachine.Action]) {
            for action in actions {
                switch action {
                case .commit(let cursor, let restarts): commit = (cursor, restarts)
                case .request(let query): request = query
                case .finish: break
                case .fail(let code): failure = Failure(code)
                }
            }
        }
    }
}
