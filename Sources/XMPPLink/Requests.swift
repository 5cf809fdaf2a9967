import Application
import Base
import Domain
import XMPP

/// What an answer to a request is for.
enum PendingRequest {
    case waiter(CheckedContinuation<Result<Element?, Failure>, Never>)
    case roster
    /// Whether the server's answer means that it took these.
    case acknowledges([MessageID])
    case ignored
}

// Requests and their answers (RFC 6120, section 8.2.3).
extension XMPPLink {
    /// Sends a request. Throws `net.offline` where there is no stream.
    @discardableResult
    func request(
        _ kind: IQ.Kind, to: JID?, _ payload: Element, _ pending: PendingRequest
    ) throws(Failure) -> StanzaRouter.Token {
        guard let open = current, open.isUsable, stream?.canSend == true else { throw Failure(.netOffline) }
        let deadline = time.boottime() + Self.requestMilliseconds
        guard let made = try router?.request(kind, to: to, payload, deadline: deadline) else {
            throw Failure(.netOffline)
        }
        requests[made.token] = pending
        perform(stream?.send(made.stanza.element) ?? [], open)
        executor.schedule(afterMilliseconds: Self.requestMilliseconds + 1) { [weak self] in
            self?.assumeIsolated { $0.expireRequests() }
        }
        return made.token
    }

    /// Sends a request and waits for its answer. Throws `server.refused`, `server.timeout`, `net.offline`.
    func ask(_ kind: IQ.Kind, to: JID?, _ payload: Element) async throws(Failure) -> Element? {
        let answer: Result<Element?, Failure> = await withCheckedContinuation { continuation in
            do throws(Failure) {
                try request(kind, to: to, payload, .waiter(continuation))
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try answer.get()
    }

    func didReceive(_ answer: StanzaRouter.Outcome, to token: StanzaRouter.Token, _ open: OpenStream) {
        guard let pending = requests.removeValue(forKey: token) else { return }
        switch (pending, answer) {
        case (.waiter(let waiter), .result(let payload)): waiter.resume(returning: .success(payload))
        case (.waiter(let waiter), .refused): waiter.resume(returning: .failure(Failure(.serverRefused)))
        case (.roster, .result(let payload)):
            let (entries, version) = Roster.answer(payload)
            open.pump.add(.roster(entries?.map { RosterItem($0) }, version: version), nil)
        case (.acknowledges(let ids), _):
            open.unmanaged.removeAll { ids.contains($0) }
            open.pump.add(acknowledged: ids)
        case (.roster, .refused), (.ignored, _): break
        }
    }

    /// The stream is gone for good, and the answers with it.
    func abandonRequests() {
        abandonWaiters()
        _ = router?.abandon()
        requests = [:]
    }

    /// Nobody waits longer than the stream lives, even if a later one may bring the answer.
    func abandonWaiters() {
        for (token, pending) in requests {
            guard case .waiter(let waiter) = pending else { continue }
            requests[token] = .ignored
            waiter.resume(returning: .failure(Failure(.netOffline)))
        }
    }

    private func expireRequests() {
        for token in router?.expire(now: time.boottime()) ?? [] {
            guard case .waiter(let waiter)? = requests.removeValue(forKey: token) else { continue }
            waiter.resume(returning: .failure(Failure(.serverTimeout)))
        }
    }
}

extension RosterItem {
    init(_ entry: RosterEntry) {
        let subscription: Domain.Subscription =
            switch entry.subscription {
            case .none, .remove: .none
            case .to: .to
            case .from: .from
            case .both: .both
            }
        self.init(jid: entry.jid, name: entry.name, subscription: subscription, isAsking: entry.isAsking)
    }
}
