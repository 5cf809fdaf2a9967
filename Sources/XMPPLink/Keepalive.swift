import Base
import XMPP

extension XMPPLink {
    /// Asks a server that was silent for long whether it is there (XEP-0199); one that does not answer has gone.
    func startKeepalive(_ session: LinkSession) {
        session.didHear(0, isWhole: true, at: time.boottime())
        scheduleCheck(session)
    }

    private func scheduleCheck(_ session: LinkSession) {
        let number = session.number
        executor.schedule(afterMilliseconds: limits.silenceMilliseconds / 2) { [weak self] in
            self?.assumeIsolated { $0.checkSilence(number) }
        }
    }

    func checkSilence(_ number: UInt64) {
        guard let session, session.number == number, session.isReady else { return }
        scheduleCheck(session)
        let now = time.boottime()
        // As long as we do not listen the silence is ours.
        guard session.isReading else {
            session.didHear(0, isWhole: true, at: now)
            session.openRequest = nil
            return
        }
        guard isAcknowledging(session) else { return end(number, Failure(.serverTimeout)) }
        guard now - session.lastHeard >= limits.silenceMilliseconds, !session.isProbing else { return }
        session.isProbing = true
        ask(.get, to: session.ownAddress.server, Ping.request, session) { [weak self, weak session] result in
            session?.isProbing = false
            // Something large may stand before the answer: as long as it moves, the server is there.
            guard case .failure(let failure) = result, failure.code == .serverTimeout, let session,
                session.isReading, session.lastHeard < now
            else { return }
            self?.assumeIsolated { $0.end(number, Failure(.netTimeout)) }
        }
    }

    /// Whether the server still answers requests for acknowledgement: without it nothing we send is ever known to be
    /// taken. It has twice the time of a silence, since its answer stands behind all that we have sent.
    private func isAcknowledging(_ session: LinkSession) -> Bool {
        guard let open = session.stream?.openRequest else {
            session.openRequest = nil
            return true
        }
        let checks = session.openRequest.map { $0.number == open ? $0.checks + 1 : 1 } ?? 1
        session.openRequest = (open, checks)
        return checks <= 4
    }
}
