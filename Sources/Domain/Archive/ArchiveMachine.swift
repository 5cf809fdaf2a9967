package import Base

/// One pass through one archive (XEP-0313).
///
/// The first pass ever takes the last page only; later ones go forward from the cursor to the end. The cursor moves in
/// the same transaction as the page's messages, one page is read ahead at most, a failed page is asked for once more,
/// a cursor that repeats ends the pass, and an id that the server has forgotten is replaced once by its time.
package struct ArchiveMachine: Sendable {
    /// What a page asks of the server; it may give less.
    package static let pageLimit = 250
    /// Pages of one pass, so that a server which never ends does not keep us reading: a million messages.
    package static let passLimit = 4000
    /// How far before the cursor's time a pass begins that goes by time.
    package static let overlapMilliseconds: Int64 = 60_000

    /// What matters of a page here.
    package struct Page: Sendable, Equatable {
        package let first: String?
        package let last: String?
        package let isComplete: Bool
        /// The stamp of the last item, if it had one.
        package let lastAt: Timestamp?
        package init(first: String?, last: String?, isComplete: Bool, lastAt: Timestamp?) {
            self.first = first
            self.last = last
            self.isComplete = isComplete
            self.lastAt = lastAt
        }
    }

    /// What happened in the pass.
    package enum Input: Sendable, Equatable {
        case didStart(ArchiveCursor?)
        case didReceive(Page)
        case didFailPage(ErrorCode)
        case didFailCommit(ErrorCode)
        case didLoseStream
    }

    /// What to do about it, in order.
    package enum Action: Sendable, Equatable {
        case request(ArchiveQuery)
        /// Store the page's messages and this cursor in one transaction, after a gap if `restarts`. Comes before the
        /// request of the next page, which may run meanwhile.
        case commit(ArchiveCursor, restarts: Bool)
        case finish
        case fail(ErrorCode)
    }

    private enum Phase: Sendable, Equatable {
        case idle
        case reading(ArchiveQuery, wasRepeated: Bool)
        case ended
    }

    private let archive: ArchiveName
    private var phase = Phase.idle
    private var cursor: ArchiveCursor?
    private var seen: Set<String> = []
    private var pages = 0
    private var usedFallback = false
    private var restarts = false

    package init(archive: ArchiveName) { self.archive = archive }

    /// Whether the first pass ever is under way: what it finds is history, not news.
    package var isFirstPass: Bool {
        if case .reading(let query, _) = phase { query.direction == .last } else { false }
    }

    /// The actions that follow; none where the input does not fit, and then nothing changed.
    package mutating func handle(_ input: Input) -> [Action] {
        switch (input, phase) {
        case (.didStart(let cursor), .idle):
            self.cursor = cursor
            // A cursor without an id says that the archive was empty: everything in it now is news.
            return ask(cursor.map { $0.newest.map { .after($0) } ?? .since(Timestamp(milliseconds: 0)) } ?? .last)
        case (.didReceive(let page), .reading(let query, _)): return didReceive(page, query)
        case (.didFailPage(let code), .reading(let query, let wasRepeated)):
            return didFailPage(code, query, wasRepeated)
        case (.didFailCommit(let code), .reading), (.didFailCommit(let code), .ended): return end(.fail(code))
        case (.didLoseStream, .reading): return end(.fail(.netOffline))
        case (.didStart, .reading), (.didStart, .ended), (.didReceive, .idle), (.didReceive, .ended),
            (.didFailPage, .idle), (.didFailPage, .ended), (.didFailCommit, .idle), (.didLoseStream, .idle),
            (.didLoseStream, .ended):
            return []
        }
    }
}

extension ArchiveMachine {
    private mutating func ask(_ direction: ArchiveQuery.Direction) -> [Action] {
        let query = ArchiveQuery(archive: archive, direction: direction, limit: Self.pageLimit)
        phase = .reading(query, wasRepeated: false)
        return [.request(query)]
    }

    private mutating func end(_ action: Action) -> [Action] {
        phase = .ended
        return [action]
    }

    private mutating func didReceive(_ page: Page, _ query: ArchiveQuery) -> [Action] {
        pages += 1
        guard let last = page.last else {
            // An empty page is the end; one that claims more to come without saying where is a server's mistake.
            guard page.isComplete else { return end(.fail(.serverRefused)) }
            guard cursor == nil else { return end(.finish) }
            let empty = ArchiveCursor(newest: nil, oldest: nil, isComplete: true)
            return [.commit(empty, restarts: restarts)] + end(.finish)
        }
        if !page.isComplete && query.direction != .last {
            guard seen.insert(last).inserted, last != position(of: query) else { return end(.fail(.serverRefused)) }
        }
        let commit = Action.commit(advanced(by: page, last: last), restarts: restarts)
        if query.direction == .last || page.isComplete { return [commit] + end(.finish) }
        guard pages < Self.passLimit else { return [commit] + end(.fail(.serverRefused)) }
        return [commit] + ask(next(after: query, last))
    }

    private mutating func advanced(by page: Page, last: String) -> ArchiveCursor {
        var next = cursor ?? ArchiveCursor(newest: nil, oldest: page.first, isComplete: page.isComplete)
        next.newest = last
        next.newestAt = page.lastAt ?? next.newestAt
        if next.oldest == nil { next.oldest = page.first }
        cursor = next
        return next
    }

    private func next(after query: ArchiveQuery, _ last: String) -> ArchiveQuery.Direction {
        switch query.direction {
        case .last, .after, .before: .after(last)
        case .since(let moment), .sinceAfter(let moment, _): .sinceAfter(moment, last)
        }
    }

    private func position(of query: ArchiveQuery) -> String? {
        switch query.direction {
        case .last, .since: nil
        case .after(let id), .before(let id), .sinceAfter(_, let id): id
        }
    }

    private mutating func didFailPage(_ code: ErrorCode, _ query: ArchiveQuery, _ wasRepeated: Bool) -> [Action] {
        if code == .serverRefused, case .after = query.direction, !usedFallback, pages == 0 {
            // The server no longer knows the cursor's id.
            usedFallback = true
            if let at = cursor?.newestAt {
                return ask(.since(at.adding(milliseconds: -Self.overlapMilliseconds)))
            }
            cursor = nil
            restarts = true
            return ask(.last)
        }
        guard code == .serverTimeout, !wasRepeated else { return end(.fail(code)) }
        phase = .reading(query, wasRepeated: true)
        return [.request(query)]
    }
}
