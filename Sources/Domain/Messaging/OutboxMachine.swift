package import Base

/// One outgoing message's life, from the draft to the recipient's eyes (invariant 6).
///
///     draft → preparing → ready → submitting → accepted → delivered → read
///
/// with `retryScheduled`, `blockedByIdentityChange` and `terminalFailure` beside it. Two rules cannot be left by any
/// input: what was submitted once keeps its envelope, and what has an unknown outcome is not submitted again before
/// that outcome is settled.
package struct OutboxMachine: Sendable {
    /// What happened to the item.
    package enum Input: Sendable, Equatable {
        /// Message and outbox row are committed.
        case didStore
        case didSeal(Envelope)
        case didFailToSeal(SendFailure, at: Timestamp, jitter: Jitter)
        case didChangeIdentity
        case didDecideIdentity
        case didSubmit(at: Timestamp)
        /// There was no stream: nothing left this machine.
        case didNotHandOver
        /// The stream ended, or the program did, with the answer open.
        case didLoseOutcome
        /// The stream was resumed; the link itself resends what is missing.
        case didResume
        case didReceiveAcknowledgement
        case didFindInArchive
        /// The archive was read from before the submission to its end, without it.
        case didMissInArchive
        /// There is no archive, or too much of it.
        case didFailToSettle
        case didReceiveError(SendFailure, at: Timestamp, jitter: Jitter)
        case didReachRetryTime(Timestamp)
        case didReceiveReceipt
        case didReceiveDisplayed
    }

    /// What to do about it, in order.
    package enum Action: Sendable, Equatable {
        /// Make the envelope and store it, in one transaction.
        case seal
        /// Store the item as `item` now says.
        case persist
        /// Look for it where the server keeps what it took; nothing of its conversation goes out before.
        case settle
        /// It may go out, in its conversation's order.
        case submit
        /// Take it out of the outbox and merge this into its message, in one transaction.
        case leave(Delivery)
        /// Merge this into its message; the outbox has let go of it before.
        case advance(Delivery)
    }

    private enum Phase: Sendable, Equatable {
        case draft
        case preparing
        case ready
        case submitting(since: Timestamp)
        /// `submitting` whose answer can no longer come by itself.
        case unsettled(since: Timestamp)
        case retryScheduled(at: Timestamp)
        case blocked
        case accepted
        case delivered
        case read
        case terminalFailure(ErrorCode)
    }

    private var phase: Phase
    private var stored: OutboxItem

    /// A message that is not stored yet.
    package init(draft item: OutboxItem) {
        stored = item
        phase = .draft
    }

    /// An item as the outbox keeps it. One that was being submitted when its process ended has an unknown outcome.
    package init(resuming item: OutboxItem, isThisStream: Bool = false) {
        stored = item
        phase =
            switch item.state {
            case .preparing: .preparing
            case .ready: .ready
            case .submitting(let since): isThisStream ? .submitting(since: since) : .unsettled(since: since)
            case .retryScheduled(let at): .retryScheduled(at: at)
            case .blockedByIdentityChange: .blocked
            }
    }

    /// The row to store. Meaningful until the item has left the outbox.
    package var item: OutboxItem { stored }

    /// Submissions that the server never took before a message is suspected of being what ends the streams.
    package static let suspectAttempts = 3
    /// Submissions that the server never took before a message counts as refused.
    package static let attemptLimit = 8

    /// Whether it has to go out alone: servers end a stream at a stanza that they do not like, for instance one that grew
    /// beyond their limit, and everything that was sent behind it is lost with it, each time anew.
    package var isSuspect: Bool { phase == .ready && stored.attempts >= Self.suspectAttempts }

    /// Whether later messages of its conversation must wait for it.
    package var blocksConversation: Bool {
        switch phase {
        case .draft, .preparing, .ready, .unsettled, .retryScheduled, .blocked: true
        case .submitting, .accepted, .delivered, .read, .terminalFailure: false
        }
    }

    /// The actions that follow; none where the input does not fit, and then nothing changed.
    package mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .didStore: move(from: { $0 == .draft }, to: .preparing, [.seal])
        case .didSeal(let envelope): didSeal(envelope)
        case .didFailToSeal(let failure, let at, let jitter): didFailToSeal(failure, at, jitter)
        case .didChangeIdentity: didChangeIdentity()
        case .didDecideIdentity:
            move(from: { $0 == .blocked }, to: stored.envelope == nil ? .preparing : .ready, [.persist])
        case .didSubmit(let at): didSubmit(at)
        case .didNotHandOver: didNotHandOver()
        case .didLoseOutcome: didLoseOutcome()
        case .didResume: didResume()
        case .didReceiveAcknowledgement, .didFindInArchive: didAccept()
        case .didMissInArchive: didMissInArchive()
        case .didFailToSettle:
            move(from: Self.isUnsettled, to: .terminalFailure(.outcomeUnknown), [.leave(.failed(.outcomeUnknown))])
        case .didReceiveError(let failure, let at, let jitter): didReceiveError(failure, at, jitter)
        case .didReachRetryTime(let now): didReachRetryTime(now)
        case .didReceiveReceipt: didReach(.delivered, .delivered)
        case .didReceiveDisplayed: didReach(.read, .read)
        }
    }
}

extension OutboxMachine {
    private static func isUnsettled(_ phase: Phase) -> Bool {
        if case .unsettled = phase { true } else { false }
    }

    private mutating func move(from allowed: (Phase) -> Bool, to next: Phase, _ actions: [Action]) -> [Action] {
        guard allowed(phase) else { return [] }
        enter(next)
        return actions
    }

    /// Keeps the stored row in step with the phase.
    private mutating func enter(_ next: Phase) {
        phase = next
        switch next {
        case .preparing: stored.state = .preparing
        case .ready: stored.state = .ready
        case .submitting(let since), .unsettled(let since): stored.state = .submitting(since: since)
        case .retryScheduled(let at): stored.state = .retryScheduled(at: at)
        case .blocked: stored.state = .blockedByIdentityChange
        case .draft, .accepted, .delivered, .read, .terminalFailure: break
        }
    }

    private mutating func didSeal(_ envelope: Envelope) -> [Action] {
        guard phase == .preparing, !stored.wasSubmitted else { return [] }
        stored.envelope = envelope
        enter(.ready)
        return [.persist, .submit]
    }

    private mutating func didFailToSeal(_ failure: SendFailure, _ now: Timestamp, _ jitter: Jitter) -> [Action] {
        guard phase == .preparing else { return [] }
        return fail(failure, now, jitter)
    }

    private mutating func didChangeIdentity() -> [Action] {
        switch phase {
        case .preparing, .ready, .retryScheduled:
            // An envelope for the old identity must not go out; one that has gone stays what it was.
            if !stored.wasSubmitted { stored.envelope = nil }
            enter(.blocked)
            return [.persist]
        case .draft, .submitting, .unsettled, .blocked, .accepted, .delivered, .read, .terminalFailure: return []
        }
    }

    private mutating func didSubmit(_ now: Timestamp) -> [Action] {
        guard phase == .ready, stored.envelope != nil else { return [] }
        stored.attempts += 1
        stored.wasSubmitted = true
        enter(.submitting(since: now))
        return [.persist]
    }

    private mutating func didNotHandOver() -> [Action] {
        guard case .submitting = phase else { return [] }
        enter(.ready)
        return [.persist]
    }

    private mutating func didLoseOutcome() -> [Action] {
        guard case .submitting(let since) = phase else { return [] }
        enter(.unsettled(since: since))
        return [.settle]
    }

    private mutating func didResume() -> [Action] {
        guard case .unsettled(let since) = phase else { return [] }
        enter(.submitting(since: since))
        return []
    }

    /// The server did not take it. One that it never takes has visibly failed; a person may try it again.
    private mutating func didMissInArchive() -> [Action] {
        guard stored.attempts >= Self.attemptLimit else {
            return move(from: Self.isUnsettled, to: .ready, [.persist, .submit])
        }
        return move(
            from: Self.isUnsettled, to: .terminalFailure(.messageRefused), [.leave(.failed(.messageRefused))])
    }

    private mutating func didReceiveError(_ failure: SendFailure, _ now: Timestamp, _ jitter: Jitter) -> [Action] {
        switch phase {
        case .submitting, .unsettled: return fail(failure, now, jitter)
        case .accepted:
            // The own server had taken it; a later refusal comes from further on and is not ours to repeat.
            phase = .terminalFailure(failure.code)
            return [.advance(.failed(failure.code))]
        case .draft, .preparing, .ready, .retryScheduled, .blocked, .delivered, .read, .terminalFailure: return []
        }
    }

    private mutating func fail(_ failure: SendFailure, _ now: Timestamp, _ jitter: Jitter) -> [Action] {
        guard !failure.isPermanent else {
            enter(.terminalFailure(failure.code))
            return [.leave(.failed(failure.code))]
        }
        if phase == .preparing { stored.attempts += 1 }
        let delay = Backoff.outbox.delay(attempt: stored.attempts, jitter: jitter)
        enter(.retryScheduled(at: now.adding(milliseconds: delay)))
        return [.persist]
    }

    private mutating func didReachRetryTime(_ now: Timestamp) -> [Action] {
        guard case .retryScheduled(let at) = phase else { return [] }
        // A clock that was set back must not hold a message longer than the longest delay.
        let isDue = now >= at || at.milliseconds - now.milliseconds > Backoff.outbox.capMilliseconds
        guard isDue else { return [] }
        guard stored.envelope != nil else {
            enter(.preparing)
            return [.seal]
        }
        enter(.ready)
        return [.submit]
    }

    /// The own server has it. Says nothing of an item that was refused further on and waits for another try.
    private mutating func didAccept() -> [Action] {
        switch phase {
        case .submitting, .unsettled:
            enter(.accepted)
            return [.leave(.sent)]
        case .draft, .preparing, .ready, .retryScheduled, .blocked, .accepted, .delivered, .read, .terminalFailure:
            return []
        }
    }

    /// The recipient has it, which settles every doubt.
    private mutating func didReach(_ next: Phase, _ delivery: Delivery) -> [Action] {
        switch phase {
        case .submitting, .unsettled, .retryScheduled, .ready, .blocked:
            guard stored.wasSubmitted else { return [] }
            enter(next)
            return [.leave(delivery)]
        case .accepted,
            .delivered where next == .read:
            enter(next)
            return [.advance(delivery)]
        case .draft, .preparing, .delivered, .read, .terminalFailure: return []
        }
    }
}
