import Base
import Domain
import Testing

private let entropy = Entropy { $0.initializeMemory(as: UInt8.self, repeating: 7) }
private let envelope = Envelope(engine: "test/1", payload: [1, 2, 3], security: .plaintext)
private let other = Envelope(engine: "test/1", payload: [9], security: .plaintext)
private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }
private let permanent = SendFailure(code: .messageRefused, isPermanent: true)
private let passing = SendFailure(code: .serverTimeout, isPermanent: false)

private func machine(_ inputs: [OutboxMachine.Input]) throws -> OutboxMachine {
    let item = OutboxItem(
        id: MessageID(entropy: entropy), chat: try JID("juliet@example.com"), sequence: 1, state: .preparing,
        attempts: 0, envelope: nil, wasSubmitted: false)
    var machine = OutboxMachine(draft: item)
    for input in inputs { _ = machine.handle(input) }
    return machine
}

private let stored: [OutboxMachine.Input] = [.didStore]
private let ready = stored + [.didSeal(envelope)]
private let submitting = ready + [.didSubmit(at: at(1000))]
private let unsettled = submitting + [.didLoseOutcome]
private let retrying = submitting + [.didReceiveError(passing, at: at(2000), jitter: .none)]
private let accepted = submitting + [.didReceiveAcknowledgement]

struct OutboxMachineTests {
    struct Row: Sendable {
        let before: [OutboxMachine.Input]
        let input: OutboxMachine.Input
        let actions: [OutboxMachine.Action]
        let state: OutboxState
        init(
            _ before: [OutboxMachine.Input], _ input: OutboxMachine.Input, _ actions: [OutboxMachine.Action],
            _ state: OutboxState
        ) {
            self.before = before
            self.input = input
            self.actions = actions
            self.state = state
        }
    }

    static let rows: [Row] = [
        Row([], .didStore, [.seal], .preparing),
        Row([], .didSubmit(at: at(1)), [], .preparing),
        Row(stored, .didSeal(envelope), [.persist, .submit], .ready),
        Row(stored, .didSubmit(at: at(1)), [], .preparing),
        Row(
            stored, .didFailToSeal(permanent, at: at(0), jitter: .none), [.leave(.failed(.messageRefused))], .preparing),
        Row(stored, .didFailToSeal(passing, at: at(0), jitter: .none), [.persist], .retryScheduled(at: at(1000))),
        Row(stored, .didChangeIdentity, [.persist], .blockedByIdentityChange),
        Row(stored + [.didChangeIdentity], .didDecideIdentity, [.persist], .preparing),
        Row(ready, .didSubmit(at: at(1000)), [.persist], .submitting(since: at(1000))),
        Row(ready, .didReceiveAcknowledgement, [], .ready),
        Row(ready, .didReceiveReceipt, [], .ready),
        Row(submitting, .didNotHandOver, [.persist], .ready),
        Row(submitting, .didReceiveAcknowledgement, [.leave(.sent)], .submitting(since: at(1000))),
        Row(submitting, .didReceiveReceipt, [.leave(.delivered)], .submitting(since: at(1000))),
        Row(submitting, .didReceiveDisplayed, [.leave(.read)], .submitting(since: at(1000))),
        Row(submitting, .didLoseOutcome, [.settle], .submitting(since: at(1000))),
        Row(submitting, .didMissInArchive, [], .submitting(since: at(1000))),
        Row(
            submitting, .didReceiveError(permanent, at: at(2000), jitter: .none), [.leave(.failed(.messageRefused))],
            .submitting(since: at(1000))),
        Row(
            submitting, .didReceiveError(passing, at: at(2000), jitter: .none), [.persist],
            .retryScheduled(at: at(3000))),
        Row(unsettled, .didSubmit(at: at(5000)), [], .submitting(since: at(1000))),
        Row(unsettled, .didReachRetryTime(at(9_000_000)), [], .submitting(since: at(1000))),
        Row(unsettled, .didResume, [], .submitting(since: at(1000))),
        Row(unsettled, .didFindInArchive, [.leave(.sent)], .submitting(since: at(1000))),
        Row(unsettled, .didMissInArchive, [.persist, .submit], .ready),
        Row(unsettled, .didFailToSettle, [.leave(.failed(.outcomeUnknown))], .submitting(since: at(1000))),
        Row(unsettled, .didReceiveAcknowledgement, [.leave(.sent)], .submitting(since: at(1000))),
        Row(unsettled + [.didResume], .didFailToSettle, [], .submitting(since: at(1000))),
        Row(retrying, .didReachRetryTime(at(2999)), [], .retryScheduled(at: at(3000))),
        Row(retrying, .didReachRetryTime(at(3000)), [.submit], .ready),
        Row(retrying, .didReachRetryTime(at(-400_000)), [.submit], .ready),
        Row(retrying, .didReceiveAcknowledgement, [], .retryScheduled(at: at(3000))),
        Row(retrying, .didReceiveReceipt, [.leave(.delivered)], .retryScheduled(at: at(3000))),
        Row(accepted, .didReceiveReceipt, [.advance(.delivered)], .submitting(since: at(1000))),
        Row(accepted, .didReceiveAcknowledgement, [], .submitting(since: at(1000))),
        Row(
            accepted, .didReceiveError(permanent, at: at(1), jitter: .none), [.advance(.failed(.messageRefused))],
            .submitting(since: at(1000))),
        Row(accepted + [.didReceiveDisplayed], .didReceiveReceipt, [], .submitting(since: at(1000))),
    ]

    @Test("Each input moves each state as the table says", arguments: rows)
    func table(row: Row) throws {
        var machine = try machine(row.before)
        #expect(machine.handle(row.input) == row.actions)
        #expect(machine.item.state == row.state)
    }

    @Test("A message that was submitted keeps its envelope whatever comes")
    func envelopeStays() throws {
        let inputs: [OutboxMachine.Input] = [
            .didSeal(other), .didChangeIdentity, .didDecideIdentity, .didLoseOutcome, .didMissInArchive,
            .didReceiveError(passing, at: at(10), jitter: .none), .didReachRetryTime(at(99_999)), .didNotHandOver,
        ]
        for first in inputs {
            for second in inputs {
                var machine = try machine(submitting)
                _ = machine.handle(first)
                _ = machine.handle(second)
                _ = machine.handle(.didSeal(other))
                #expect(machine.item.envelope == envelope)
            }
        }
    }

    @Test("An envelope for an old identity is thrown away as long as it never went out")
    func unsentEnvelopeGoes() throws {
        var machine = try machine(ready)
        #expect(machine.handle(.didChangeIdentity) == [.persist])
        #expect(machine.item.envelope == nil)
        #expect(machine.handle(.didDecideIdentity) == [.persist])
        #expect(machine.item.state == .preparing)
    }

    @Test("What was being submitted when the process ended waits until its outcome is settled")
    func afterCrash() throws {
        let left = try machine(submitting).item
        var machine = OutboxMachine(resuming: left)
        #expect(machine.blocksConversation)
        #expect(machine.handle(.didSubmit(at: at(9000))) == [])
        #expect(machine.handle(.didMissInArchive) == [.persist, .submit])
        #expect(machine.handle(.didSubmit(at: at(9000))) == [.persist])
        #expect(machine.item.envelope == envelope && machine.item.attempts == 2)
    }

    @Test("A message that the server never takes is suspected after three submissions and refused after eight")
    func neverTaken() throws {
        var machine = try machine(unsettled)
        for attempt in 1..<8 {
            #expect(machine.handle(.didMissInArchive) == [.persist, .submit])
            #expect(machine.isSuspect == (attempt >= 3))
            _ = machine.handle(.didSubmit(at: at(9000)))
            _ = machine.handle(.didLoseOutcome)
        }
        #expect(machine.handle(.didMissInArchive) == [.leave(.failed(.messageRefused))])
    }

    @Test("Retries wait 1, 2, 4 … 300 s, and jitter only shortens that by less than a quarter")
    func delays() {
        let full = (1...12).map { Backoff.outbox.delay(attempt: $0, jitter: .none) / 1000 }
        #expect(full == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
        #expect(Backoff.outbox.delay(attempt: .max, jitter: .none) == 300_000)
        for attempt in 1...12 {
            let whole = Backoff.outbox.delay(attempt: attempt, jitter: .none)
            let short = Backoff.outbox.delay(attempt: attempt, jitter: Jitter(perMille: 999))
            #expect(short < whole && short * 4 >= whole * 3)
        }
    }

    @Test("A delivery only grows, a failure stays, and a refusal may follow what the own server took")
    func deliveries() {
        #expect(Delivery.queued.merged(with: .sent) == .sent)
        #expect(Delivery.read.merged(with: .sent) == .read)
        #expect(Delivery.delivered.merged(with: .failed(.messageRefused)) == .delivered)
        #expect(Delivery.sent.merged(with: .failed(.messageRefused)) == .failed(.messageRefused))
        #expect(Delivery.failed(.outcomeUnknown).merged(with: .sent) == .failed(.outcomeUnknown))
    }
}
