import Base
import Net
import XMPP

/// A request whose answer is awaited.
struct PendingRequest {
    let timer: EpollExecutor.Timer
    let answer: (Result<StanzaRouter.Outcome, Failure>) -> Void
}

extension XMPPLink {
    /// Asks and waits for the answer. Throws `server.timeout`; `net.closed` when the stream ends before.
    func request(
        _ kind: IQ.Kind, to: JID?, _ payload: Element, _ session: LinkSession
    ) async throws(Failure) -> StanzaRouter.Outcome {
        try await withCheckedResult { continuation in
            ask(kind, to: to, payload, session) { continuation.resume(returning: $0) }
        }
    }

    /// Asks; `answer` is called once, on the link's thread.
    func ask(
        _ kind: IQ.Kind, to: JID?, _ payload: Element, _ session: LinkSession,
        answer: @escaping (Result<StanzaRouter.Outcome, Failure>) -> Void
    ) {
        guard session.isReady, session.router != nil else { return answer(.failure(Failure(.netOffline))) }
        do throws(Failure) {
            let deadline = time.boottime() + limits.requestMilliseconds
            guard let (token, iq) = try session.router?.request(kind, to: to, payload, deadline: deadline) else {
                throw Failure(.netOffline)
            }
            let number = session.number
            let timer = executor.schedule(afterMilliseconds: limits.requestMilliseconds) { [weak self] in
                self?.assumeIsolated { $0.requestDidExpire(token, number) }
            }
            session.requests[token] = PendingRequest(timer: timer, answer: answer)
            send(iq.element, session)
        } catch { answer(.failure(error)) }
    }

    func requestDidEnd(_ token: StanzaRouter.Token, _ outcome: StanzaRouter.Outcome, _ session: LinkSession) {
        guard let request = session.requests.removeValue(forKey: token) else { return }
        executor.cancel(request.timer)
        request.answer(.success(outcome))
    }

    private func requestDidExpire(_ token: StanzaRouter.Token, _ number: UInt64) {
        guard let session, session.number == number,
            let request = session.requests.removeValue(forKey: token)
        else { return }
        _ = session.router?.expire(now: time.boottime())
        request.answer(.failure(Failure(.serverTimeout)))
    }

    /// Sends a stanza whose loss costs nothing.
    func send(_ element: Element, _ session: LinkSession) {
        perform(session.stream?.send(element) ?? [], session)
    }
}
