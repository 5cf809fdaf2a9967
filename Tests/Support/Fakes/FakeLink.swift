package import Application
package import Base
package import Domain

/// A link to a `FakeServer`, with a test's hand on the stream.
package actor FakeLink: LinkPort {
    private let server: FakeServer
    private var sink: (any LinkSink)?
    private var hadStream = false
    /// Submitted and not acknowledged, with whether the server has it.
    private var pending: [(stanza: OutgoingStanza, isThere: Bool)] = []
    private var courtesyList: [Courtesy] = []
    private var addedList: [JID] = []
    private var arePagesHeld = false
    private var heldPages: [CheckedContinuation<Void, Never>] = []
    private var isHanging = false
    private var hung: CheckedContinuation<Void, Never>?
    private var atOpening: [InboundEvent] = []
    /// What it was asked to sign in with, attempt by attempt.
    package private(set) var accounts: [LinkAccount] = []

    package init(server: FakeServer) { self.server = server }

    // MARK: LinkPort

    package func connect(_ account: LinkAccount, sink: any LinkSink) async throws(Failure) -> LinkSummary {
        accounts.append(account)
        if isHanging { await withCheckedContinuation { hung = $0 } }
        let summary = try server.open(resuming: hadStream)
        self.sink = sink
        hadStream = true
        if summary.isResumed {
            for entry in pending where !entry.isThere { server.takeAgain(entry.stanza) }
            let ids = pending.map(\.stanza.id)
            pending = []
            Task { try? await sink.receive([.acknowledged(ids)]) }
        } else {
            pending = []
        }
        try await sink.receive([.streamDidBegin(isResumed: summary.isResumed)])
        let events = atOpening
        atOpening = []
        for start in stride(from: 0, to: events.count, by: 256) {
            try await sink.receive(Array(events[start..<min(start + 256, events.count)]))
        }
        return summary
    }

    package func submit(_ stanzas: [OutgoingStanza]) async throws(Failure) {
        guard let sink else { throw Failure(.netOffline) }
        var acknowledged: [MessageID] = []
        var isOver = false
        for stanza in stanzas {
            switch isOver ? .lose : server.take(stanza) {
            case .acknowledge: acknowledged.append(stanza.id)
            case .acceptSilently: pending.append((stanza, true))
            case .lose: pending.append((stanza, false))
            case .endStream:
                isOver = true
                pending.append((stanza, false))
                Task { await breakStream(Failure(.streamError)) }
            case .refuse(let failure):
                var answer = InboundMessage(route: .live, from: stanza.to, to: server.account)
                answer.id = stanza.id.text
                answer.failure = failure
                let event = InboundEvent.message(answer)
                Task { try? await sink.receive([event]) }
            }
        }
        let ids = acknowledged
        if !ids.isEmpty { Task { try? await sink.receive([.acknowledged(ids)]) } }
    }

    package func send(_ courtesies: [Courtesy]) { courtesyList += courtesies }

    package func archivePage(_ query: ArchiveQuery) async throws(Failure) -> ArchivePage {
        guard sink != nil else { throw Failure(.netOffline) }
        await Task.yield()
        if arePagesHeld { await withCheckedContinuation { heldPages.append($0) } }
        return try server.page(query)
    }

    package func addContact(_ jid: JID) async throws(Failure) { addedList.append(jid) }

    package func disconnect() async {
        isHanging = false
        hung?.resume()
        hung = nil
        guard let ended = sink else { return }
        sink = nil
        await ended.linkDidEnd(nil)
    }

    // MARK: A test's hand

    package var isConnected: Bool { sink != nil }
    package var courtesies: [Courtesy] { courtesyList }
    package var added: [JID] { addedList }
    /// In the order of submission.
    package var unacknowledged: [MessageID] { pending.map(\.stanza.id) }

    /// The next `connect` waits until `disconnect`.
    package func hang() { isHanging = true }

    /// The next `connect` brings these before it returns, as a server does that kept them for a resumption.
    package func bringAtOpening(_ events: [InboundEvent]) { atOpening = events }

    /// Archive pages wait until `releasePages`, and then show what is there by then.
    package func holdPages() { arePagesHeld = true }
    package var waitingPages: Int { heldPages.count }
    package func releasePages() {
        arePagesHeld = false
        for page in heldPages { page.resume() }
        heldPages = []
    }

    /// Returns when the sink has made it durable.
    package func deliver(_ events: [InboundEvent]) async throws(Failure) {
        guard let sink else { throw Failure(.netOffline) }
        try await sink.receive(events)
    }

    /// Late acknowledgements, in any order.
    package func acknowledge(_ ids: [MessageID]) async throws(Failure) {
        guard let sink else { throw Failure(.netOffline) }
        pending.removeAll { ids.contains($0.stanza.id) }
        try await sink.receive([.acknowledged(ids)])
    }

    /// The stream breaks; what was submitted and not acknowledged has an unknown outcome.
    package func breakStream(_ failure: Failure = Failure(.netClosed)) async {
        guard let ended = sink else { return }
        sink = nil
        await ended.linkDidEnd(failure)
    }
}
