import Application
import Base
import Domain
import Support

/// What a link brought, kept for looking at; it can be made to block or to fail.
actor RecordingSink: LinkSink {
    private(set) var events: [InboundEvent] = []
    private(set) var acknowledged: [MessageID] = []
    private(set) var batches: [Int] = []
    private(set) var ends: [Failure?] = []
    private var failure: Failure?
    private var isBlocked = false
    private var blocked: [CheckedContinuation<Void, Never>] = []
    private var waiters:
        [(isMet: @Sendable (isolated RecordingSink) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    func receive(_ events: [InboundEvent]) async throws(Failure) {
        batches.append(events.count)
        if isBlocked { await withCheckedContinuation { blocked.append($0) } }
        if let failure { throw failure }
        for event in events {
            if case .acknowledged(let ids) = event { acknowledged += ids } else { self.events.append(event) }
        }
        check()
    }

    func linkDidEnd(_ failure: Failure?) async {
        ends.append(failure)
        check()
    }

    func fail(with code: ErrorCode) { failure = Failure(code) }
    func block() { isBlocked = true }
    func unblock() {
        isBlocked = false
        for continuation in blocked { continuation.resume() }
        blocked = []
    }

    var messages: [InboundMessage] {
        events.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }
    var texts: [String] { messages.compactMap(\.body) }

    /// Returns when the condition holds, now or after whatever comes next.
    func wait(until isMet: @escaping @Sendable (isolated RecordingSink) -> Bool) async {
        guard !isMet(self) else { return }
        await withCheckedContinuation { continuation in
            waiters.append((isMet, continuation))
        }
    }

    private func check() {
        let met = waiters.filter { $0.isMet(self) }
        waiters.removeAll { $0.isMet(self) }
        for waiter in met { waiter.continuation.resume() }
    }
}
