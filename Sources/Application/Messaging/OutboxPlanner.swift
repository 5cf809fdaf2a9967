import Base
import Domain

/// How much goes out at a time.
package struct OutboxLimits: Sendable {
    /// Conversations with messages on their way, beside each other.
    package var conversations = 8
    /// Messages of one conversation on their way. Four times as many cost a server a fifth more work, and gain nothing.
    package var perConversation = 64
    /// Messages and payload bytes handed to the link at a time; both small enough for one transaction.
    package var batch = 64
    package var batchBytes = 512 * 1024
    package init() {}
}

/// What goes out next: a walk through the outbox by sequence, inside one transaction that also seals, stores envelopes
/// and marks what is about to be submitted (invariant 6).
struct OutboxPlanner: Sendable {
    struct Plan: Sendable {
        var stanzas: [OutgoingStanza] = []
        /// The earliest time at which a scheduled retry is due.
        var nextRetry: Timestamp?
    }

    /// The profile's bare address.
    let account: JID
    let engine: any ProtocolEngine
    let limits: OutboxLimits
    /// What is on its way on the stream that is open now.
    let onThisStream: Set<MessageID>
    let now: Timestamp
    let jitter: Jitter

    func plan(in transaction: any StoreTransaction) throws(Failure) -> Plan {
        // Nothing goes out behind a suspect, which goes alone, before the server has taken it.
        if onThisStream.count == 1, let id = onThisStream.first, let only = try transaction.outboxItem(id),
            only.attempts > OutboxMachine.suspectAttempts
        {
            return Plan()
        }
        var scope = onThisStream.count + limits.batch
        while true {
            let items = try transaction.outbox(limit: scope)
            var walk = Walk()
            for item in items where !walk.isFull(limits) { try visit(item, &walk, transaction) }
            if walk.plan.stanzas.isEmpty, onThisStream.isEmpty, let suspect = walk.suspect {
                walk.held.remove(suspect.chat)
                try visit(suspect, &walk, transaction)
            }
            // All of what was read may be waiting; what can go may stand behind it.
            if walk.plan.stanzas.isEmpty, items.count == scope {
                scope *= 4
                continue
            }
            return walk.plan
        }
    }

    private struct Walk {
        var plan = Plan()
        var bytes = 0
        var onTheirWay: [JID: Int] = [:]
        var held: Set<JID> = []
        /// The first message that has to go out alone, once it may.
        var suspect: OutboxItem?

        func isFull(_ limits: OutboxLimits) -> Bool {
            plan.stanzas.count >= limits.batch || bytes >= limits.batchBytes
        }
    }

    private func visit(_ item: OutboxItem, _ walk: inout Walk, _ transaction: any StoreTransaction) throws(Failure) {
        guard !walk.held.contains(item.chat) else { return }
        var machine = OutboxMachine(resuming: item, isThisStream: onThisStream.contains(item.id))
        if case .submitting = item.state, !machine.blocksConversation {
            walk.onTheirWay[item.chat, default: 0] += 1
            return
        }
        if machine.isSuspect, walk.suspect != item {
            walk.suspect = walk.suspect ?? item
            walk.held.insert(item.chat)
            return
        }
        let count = walk.onTheirWay[item.chat] ?? 0
        let hasRoom =
            count > 0 ? count < limits.perConversation : walk.onTheirWay.count < limits.conversations
        guard hasRoom else {
            walk.held.insert(item.chat)
            return
        }
        let didLeave = try prepare(&machine, transaction)
        guard !didLeave else { return }
        guard !machine.handle(.didSubmit(at: now)).isEmpty, let envelope = machine.item.envelope else {
            walk.held.insert(item.chat)
            if case .retryScheduled(let at) = machine.item.state {
                walk.plan.nextRetry = min(walk.plan.nextRetry ?? at, at)
            }
            return
        }
        try transaction.update(machine.item)
        walk.onTheirWay[item.chat] = count + 1
        walk.bytes += envelope.payload.count
        walk.plan.stanzas.append(OutgoingStanza(id: item.id, to: item.chat, envelope: envelope))
    }

    /// Brings an item as far as `ready`, if that can be.
    /// - Returns: whether it left the outbox instead.
    private func prepare(_ machine: inout OutboxMachine, _ transaction: any StoreTransaction) throws(Failure) -> Bool {
        _ = machine.handle(.didReachRetryTime(now))
        guard machine.item.state == .preparing else { return false }
        guard let message = try transaction.message(machine.item.id), let body = message.body else {
            // Its message was deleted here before it went out.
            try transaction.removeFromOutbox(machine.item.id)
            return true
        }
        let actions: [OutboxMachine.Action]
        do {
            let content = OutgoingContent(id: message.id, to: message.chat, body: body)
            actions = machine.handle(.didSeal(try engine.seal(content, in: transaction)))
        } catch {
            let failure = SendFailure(code: error.code, isPermanent: error.code.recovery != .retry)
            actions = machine.handle(.didFailToSeal(failure, at: now, jitter: jitter))
        }
        // A sealed one is stored once, together with its submission.
        return actions.contains(.submit)
            ? false : try carryOut(actions, of: machine.item, account: account, in: transaction)
    }
}

/// Writes down what a machine decided; the caller does what concerns the network. A message to oneself has nobody else
/// to read it: it is read once the server took it.
/// - Parameter account: the profile's bare address.
/// - Returns: whether the item left the outbox.
func carryOut(
    _ actions: [OutboxMachine.Action], of item: OutboxItem, account: JID, in transaction: any StoreTransaction
) throws(Failure) -> Bool {
    var didLeave = false
    for action in actions {
        switch action {
        case .persist: try transaction.update(item)
        case .leave(let delivery):
            let isSeen = item.chat == account && delivery == .sent
            // In this order: the envelope of an accepted message need not be put aside.
            _ = try transaction.advance(item.id, in: nil, to: isSeen ? .read : delivery)
            try transaction.removeFromOutbox(item.id)
            didLeave = true
        case .advance(let delivery): _ = try transaction.advance(item.id, in: nil, to: delivery)
        case .seal, .submit, .settle: break
        }
    }
    return didLeave
}
