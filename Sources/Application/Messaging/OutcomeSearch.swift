import Base
import Domain

/// Looks in the own archive for messages whose submission was never answered.
struct OutcomeSearch: Sendable {
    struct Finding: Sendable, Equatable {
        /// Found ones with the id under which the archive has them.
        var found: [MessageID: String] = [:]
        /// Whether everything since the submissions was read, so that what was not found is not there.
        var isComplete = false

        static let nothing = Finding()
    }

    /// Pages of 250 that are read at most.
    static let pageLimit = 20
    /// How far our clock may be ahead of the server's.
    static let clockMilliseconds: Int64 = 10 * 60_000

    let account: JID
    let pager: ArchivePager

    /// Reads on from the cursor where there is one: whatever an earlier page held has been settled by the transaction
    /// that stored the page, and no clock is needed. Otherwise from the earliest submission.
    ///
    /// Throws `net.*` where the stream ended. A server that does not answer or refuses leaves the finding incomplete.
    func look(for items: [OutboxItem], cursor: ArchiveCursor?) async throws(Failure) -> Finding {
        var wanted = Set(items.map(\.id))
        var finding = Finding()
        let moment = earliest(items)
        var direction: ArchiveQuery.Direction = cursor?.newest.map { .after($0) } ?? .since(moment)
        var canGoByTime = cursor?.newest != nil
        var wasRepeated = false
        var seen: Set<String> = []
        for _ in 0..<Self.pageLimit {
            let query = ArchiveQuery(archive: .account, direction: direction, limit: ArchiveMachine.pageLimit)
            let page: ArchivePage
            do {
                page = try await pager.page(query)
            } catch {
                switch error.code {
                case .serverRefused where canGoByTime:
                    canGoByTime = false
                    direction = .since(moment)
                    continue
                case .serverTimeout where !wasRepeated:
                    wasRepeated = true
                    continue
                case .serverRefused, .serverTimeout, .streamTooLarge: return finding
                default: throw error
                }
            }
            wasRepeated = false
            note(page, &wanted, &finding)
            if wanted.isEmpty || page.isComplete {
                finding.isComplete = true
                return finding
            }
            guard let last = page.last, seen.insert(last).inserted else { return finding }
            direction = next(after: direction, last)
        }
        return finding
    }

    private func earliest(_ items: [OutboxItem]) -> Timestamp {
        let times = items.compactMap { item -> Timestamp? in
            if case .submitting(let since) = item.state { since } else { nil }
        }
        return (times.min() ?? Timestamp(milliseconds: 0)).adding(milliseconds: -Self.clockMilliseconds)
    }

    private func next(after direction: ArchiveQuery.Direction, _ last: String) -> ArchiveQuery.Direction {
        switch direction {
        case .last, .after, .before: .after(last)
        case .since(let moment), .sinceAfter(let moment, _): .sinceAfter(moment, last)
        }
    }

    private func note(_ page: ArchivePage, _ wanted: inout Set<MessageID>, _ finding: inout Finding) {
        for item in page.items {
            guard let message = item.message, message.from.bare == account else { continue }
            for text in [message.originID, message.id] {
                guard let id = text.flatMap(MessageID.init(text:)), wanted.remove(id) != nil else { continue }
                finding.found[id] = item.id
            }
        }
    }
}
