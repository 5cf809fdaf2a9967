package import Base
package import Domain

/// The one door in: whatever a link or an archive brings becomes one transaction, then news, then an acknowledgement
/// (invariant 11).
///
/// Guards what is known of people but not stored: presences and open requests. Both are bounded.
package actor InboxProcessor: LinkSink {
    /// Text bytes of one transaction at most; a batch with more of it becomes several, in order.
    static let transactionBytes = 1024 * 1024
    /// What is held while an archive is read; beyond it the archive alone brings the rest.
    static let heldLimit = 1000
    static let heldBytesLimit = 4 * 1024 * 1024

    /// Where news goes that is in no table.
    package enum Notice: Sensitive, Equatable {
        case subscription(JID)
        case presence
        case linkDidEnd(Failure?)
    }

    private let account: JID
    private let store: any ProfileStorePort
    private let link: any LinkPort
    private let outbox: Outbox
    private let engine: any ProtocolEngine
    private let time: TimeSource
    private let jitter: @Sendable () -> Jitter
    private let notify: @Sendable (Notice) async -> Void
    private let log: Log
    private let quiet: QuietMessages
    private var presences = PresenceBook()
    private var isHolding = false
    private var held: [InboundEvent] = []
    private var heldIDs: Set<String> = []
    /// When the first stream of this session was about to be opened.
    private var firstOpening: Timestamp?
    private var heldBytes = 0
    private var didLeaveToArchive = false

    init(
        account: JID, store: any ProfileStorePort, link: any LinkPort, outbox: Outbox, engine: any ProtocolEngine,
        time: TimeSource, jitter: @escaping @Sendable () -> Jitter, log: Log, quiet: QuietMessages,
        notify: @escaping @Sendable (Notice) async -> Void
    ) {
        self.account = account
        self.store = store
        self.link = link
        self.outbox = outbox
        self.engine = engine
        self.time = time
        self.jitter = jitter
        self.notify = notify
        self.log = log.area("inbox")
        self.quiet = quiet
    }

    // MARK: From the link

    package func receive(_ events: [InboundEvent]) async throws(Failure) {
        var toStore: [InboundEvent] = []
        var didBegin = false
        for event in events {
            if case .streamDidBegin(let isResumed) = event {
                presences.streamDidBegin(isResumed: isResumed)
                didBegin = true
            } else if !isHolding || !hold(event) {
                toStore.append(event)
            }
        }
        try await process(toStore)
        if didBegin { await notify(.presence) }
    }

    private func process(_ events: [InboundEvent]) async throws(Failure) {
        var effects = InboundEffects()
        for part in Self.parts(events) { effects.merge(try await commit(part)) }
        await carryOut(effects)
        if !effects.courtesies.isEmpty { await link.send(effects.courtesies) }
    }

    package func linkDidEnd(_ failure: Failure?) async {
        presences.streamDidEnd()
        await outbox.streamDidEnd()
        do {
            _ = try await stopHolding()
        } catch {
            // The archive has them, beyond the cursor.
            log.warning("held messages are left to the archive", ["code": error.code])
        }
        await notify(.linkDidEnd(failure))
        await notify(.presence)
    }

    // MARK: Holding

    /// From now on, what comes live and is known to be in the own archive waits, so that older messages, which the
    /// archive is about to bring, stand before it. It may be acknowledged meanwhile: a process that ends
    /// finds it in the archive, behind the cursor. What has no archive id is stored at once.
    package func startHolding() {
        isHolding = true
        firstOpening = firstOpening ?? time.now()
    }

    /// Stores what was held and holds no more, also where it throws: the archive has what was not stored.
    /// - Returns: whether some was left to the archive, which has to be read on.
    package func stopHolding() async throws(Failure) -> Bool {
        defer {
            isHolding = false
            held = []
            heldBytes = 0
            heldIDs = []
            didLeaveToArchive = false
        }
        while !held.isEmpty {
            let events = held
            held = []
            heldBytes = 0
            try await process(events)
        }
        return didLeaveToArchive
    }

    /// - Returns: whether the event is not to be stored now.
    private func hold(_ event: InboundEvent) -> Bool {
        guard case .message(let message) = event, let archiveID = message.archiveID, message.failure == nil,
            message.body != nil || message.envelope != nil
        else { return false }
        let bytes = Self.bytes(of: event)
        if held.count < Self.heldLimit, heldBytes + bytes <= Self.heldBytesLimit, !didLeaveToArchive {
            held.append(event)
            heldIDs.insert(archiveID)
            heldBytes += bytes
        } else {
            didLeaveToArchive = true
        }
        return true
    }

    // MARK: From an archive

    /// Stores a page and, in the transaction of its last message, how far the archive was read. Never answered.
    /// - Parameters:
    ///   - cursor: nil to leave it where it is.
    ///   - restarts: the archive goes on after a gap (`StoreTransaction.restartArchive`).
    /// - Returns: the chats that got a new message.
    package func store(
        _ page: ArchivePage, of archive: ArchiveName, placement: Placement, areNews: Bool, cursor: ArchiveCursor?,
        restarts: Bool = false
    ) async throws(Failure) -> Set<JID> {
        // The first page ever is history, but for what came since we are here.
        let news: News =
            areNews ? .all : placement == .olderPage ? .none : .since(firstOpening ?? time.now(), orIDs: heldIDs)
        var parts = Self.parts(page.items.compactMap(\.message).map(InboundEvent.message))
        if placement == .olderPage { parts.reverse() }
        if parts.isEmpty { parts = [[]] }
        var effects = InboundEffects()
        for (index, part) in parts.enumerated() {
            let isFirst = index == 0
            let isLast = index == parts.count - 1
            effects.merge(
                try await commit(
                    part, placement: placement, news: news, before: restarts && isFirst ? archive : nil,
                    after: isLast ? cursor.map { ($0, archive) } : nil))
        }
        await carryOut(effects)
        return effects.chats
    }

    // MARK: What is known of people

    package func presence(of jid: JID) -> Presence { presences.presence(of: jid) }
    package func presences(of jids: [JID]) -> [Presence] { jids.map { presences.presence(of: $0) } }

    // MARK: Transactions

    private func commit(
        _ events: [InboundEvent], placement: Placement = .live, news: News = .all, before: ArchiveName? = nil,
        after: (ArchiveCursor, ArchiveName)? = nil
    ) async throws(Failure) -> InboundEffects {
        let account = account
        let engine = engine
        let now = time.now()
        let jitter = jitter()
        let quiet = quiet
        return try await store.write { (transaction) throws(Failure) in
            if let before { try transaction.restartArchive(before) }
            var application = InboundApplication(
                account: account, engine: engine, now: now, jitter: jitter, placement: placement, news: news,
                quiet: quiet,
                transaction: transaction)
            for event in events { try application.apply(event) }
            if let (cursor, archive) = after {
                let stored = before == nil ? try transaction.cursor(of: archive) : nil
                try transaction.setCursor(Self.merged(cursor, into: stored, placement), of: archive)
            }
            return application.effects
        }
    }

    /// Catching up and scrolling back may run beside each other: each moves its own end.
    private static func merged(
        _ cursor: ArchiveCursor, into stored: ArchiveCursor?, _ placement: Placement
    ) -> ArchiveCursor {
        guard var merged = stored else { return cursor }
        switch placement {
        case .live, .newerPage:
            merged.newest = cursor.newest
            merged.newestAt = cursor.newestAt
            if merged.oldest == nil { merged.oldest = cursor.oldest }
        case .olderPage:
            merged.oldest = cursor.oldest
            merged.isComplete = cursor.isComplete
        }
        return merged
    }

    private func carryOut(_ effects: InboundEffects) async {
        for (jid, presence) in effects.presences { presences.note(jid, presence) }
        await outbox.didSettle(effects.settled)
        for jid in effects.requests { await notify(.subscription(jid)) }
        if !effects.presences.isEmpty { await notify(.presence) }
    }

    private static func parts(_ events: [InboundEvent]) -> [[InboundEvent]] {
        var parts: [[InboundEvent]] = []
        var part: [InboundEvent] = []
        var bytes = 0
        for event in events {
            let size = self.bytes(of: event)
            if !part.isEmpty, bytes + size > transactionBytes {
                parts.append(part)
                part = []
                bytes = 0
            }
            part.append(event)
            bytes += size
        }
        if !part.isEmpty { parts.append(part) }
        return parts
    }

    private static func bytes(of event: InboundEvent) -> Int {
        switch event {
        case .message(let message): (message.body?.utf8.count ?? 0) + (message.envelope?.payload.count ?? 0) + 512
        case .roster(let items, _): (items?.count ?? 0) * 128
        case .acknowledged(let ids): ids.count * 512
        case .rosterPush, .streamDidBegin, .presence, .subscriptionRequest: 256
        }
    }
}
