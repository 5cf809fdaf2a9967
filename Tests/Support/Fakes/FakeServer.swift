import Application
package import Base
package import Domain
import Synchronization

/// The account's server as far as links and archives can tell: it outlives streams and processes.
package final class FakeServer: Sendable {
    /// What becomes of a submitted message.
    package enum Answer: Sendable, Equatable {
        /// Delivered, archived, acknowledged.
        case acknowledge
        /// Delivered and archived; the acknowledgement does not come by itself.
        case acceptSilently
        /// It never gets there.
        case lose
        /// Taken, then answered with a stanza error.
        case refuse(SendFailure)
        /// It ends the stream; what was sent behind it is not read.
        case endStream
    }

    private struct State {
        var answer = Answer.acknowledge
        var answers: [Answer] = []
        var connectFailures: [Failure] = []
        var hasArchive = true
        var resumes = false
        var archive: [ArchiveItem] = []
        var nextArchiveID = 1
        var pageLimit = 250
        var pageFailures: [Failure] = []
        var queries: [ArchiveQuery] = []
        var deliveries: [MessageID] = []
        var envelopes: [MessageID: [Envelope]] = [:]
        var connects = 0
        var disliked: JID?
    }
    private let state = Mutex(State())
    package let account: JID
    private let clock: ManualClock

    package init(account: JID, clock: ManualClock) {
        self.account = account
        self.clock = clock
    }

    // MARK: What a test sets

    package func answer(_ answer: Answer) { state.withLock { $0.answer = answer } }
    /// For the next submissions, one each; then the standing answer again.
    package func answerNext(_ answers: [Answer]) { state.withLock { $0.answers += answers } }
    package func failNextConnects(_ failures: [Failure]) { state.withLock { $0.connectFailures += failures } }
    package func failNextPages(_ failures: [Failure]) { state.withLock { $0.pageFailures += failures } }
    /// From now on, each message to this address ends the stream.
    package func dislike(_ recipient: JID) { state.withLock { $0.disliked = recipient } }
    package func setArchive(_ has: Bool) { state.withLock { $0.hasArchive = has } }
    package func setResumes(_ resumes: Bool) { state.withLock { $0.resumes = resumes } }
    package func setPageLimit(_ limit: Int) { state.withLock { $0.pageLimit = limit } }

    /// Puts a message of `from` into the archive, as if it had come while nobody was there.
    @discardableResult
    package func archive(_ body: String, from: JID, to: JID? = nil, id: String? = nil) -> String {
        state.withLock { state in
            var message = InboundMessage(
                route: .live, from: from, to: to ?? account)
            message.id = id
            message.originID = id
            message.body = body
            return Self.append(message, clock.now, &state)
        }
    }

    // MARK: What a test asks

    /// Each arrival at the recipient's, also a second one of the same message.
    package var deliveries: [MessageID] { state.withLock { $0.deliveries } }
    package var connects: Int { state.withLock { $0.connects } }
    package var queries: [ArchiveQuery] { state.withLock { $0.queries } }
    /// Every envelope that was submitted under an id.
    package func envelopes(of id: MessageID) -> [Envelope] { state.withLock { $0.envelopes[id] ?? [] } }

    // MARK: What the link does

    func open(resuming: Bool) throws(Failure) -> LinkSummary {
        try state.withLock { (state) throws(Failure) in
            state.connects += 1
            if !state.connectFailures.isEmpty { throw state.connectFailures.removeFirst() }
            return LinkSummary(
                tls: "TLSv1.3", mechanism: "SCRAM-SHA-256-PLUS", binding: "tls-exporter",
                isResumed: resuming && state.resumes, hasArchive: state.hasArchive)
        }
    }

    func take(_ stanza: OutgoingStanza) -> Answer {
        state.withLock { state in
            let isDisliked = stanza.to == state.disliked
            let answer =
                isDisliked ? .endStream : state.answers.isEmpty ? state.answer : state.answers.removeFirst()
            state.envelopes[stanza.id, default: []].append(stanza.envelope)
            switch answer {
            case .acknowledge, .acceptSilently: deliver(stanza, &state)
            case .lose, .refuse, .endStream: break
            }
            return answer
        }
    }

    /// What a resumed stream makes up for.
    func takeAgain(_ stanza: OutgoingStanza) { state.withLock { deliver(stanza, &$0) } }

    private func deliver(_ stanza: OutgoingStanza, _ state: inout State) {
        state.deliveries.append(stanza.id)
        var message = InboundMessage(route: .live, from: account, to: stanza.to)
        message.id = stanza.id.text
        message.originID = stanza.id.text
        message.body = "‹sent›"
        Self.append(message, clock.now, &state)
    }

    @discardableResult
    private static func append(_ message: InboundMessage, _ now: Timestamp, _ state: inout State) -> String {
        let id = "a\(state.nextArchiveID)"
        state.nextArchiveID += 1
        var kept = message
        kept.route = .archive(.account, id: id)
        kept.archiveID = id
        kept.stamp = now
        state.archive.append(ArchiveItem(id: id, message: kept))
        return id
    }

    func page(_ query: ArchiveQuery) throws(Failure) -> ArchivePage {
        try state.withLock { (state) throws(Failure) in
            state.queries.append(query)
            if !state.pageFailures.isEmpty { throw state.pageFailures.removeFirst() }
            let all = state.archive
            let limit = min(query.limit, state.pageLimit)
            switch query.direction {
            case .last: return Self.page(all.suffix(limit), isComplete: all.count <= limit)
            case .after(let id): return try Self.page(all, after: id, limit)
            case .before(let id):
                guard let end = all.firstIndex(where: { $0.id == id }) else { throw Failure(.serverRefused) }
                return Self.page(all[..<end].suffix(limit), isComplete: end <= limit)
            case .since(let moment):
                let rest = all.filter { ($0.message?.stamp ?? moment) >= moment }
                return Self.page(rest.prefix(limit), isComplete: rest.count <= limit)
            case .sinceAfter(_, let id): return try Self.page(all, after: id, limit)
            }
        }
    }

    private static func page(_ all: [ArchiveItem], after id: String, _ limit: Int) throws(Failure) -> ArchivePage {
        guard let index = all.firstIndex(where: { $0.id == id }) else { throw Failure(.serverRefused) }
        let rest = all[(index + 1)...]
        return page(rest.prefix(limit), isComplete: rest.count <= limit)
    }

    private static func page(_ items: ArraySlice<ArchiveItem>, isComplete: Bool) -> ArchivePage {
        ArchivePage(items: Array(items), first: items.first?.id, last: items.last?.id, isComplete: isComplete)
    }
}
