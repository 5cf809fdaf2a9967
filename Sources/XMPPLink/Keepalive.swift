import Base
import XMPP

extension XMPPLink {
    /// Asks a server that was silent for long whether it is there (XEP-0199); one that does not answer has gone.
    func startKeepalive(_ session: LinkSession) {
        let number = session.number
        executor.schedule(afterMilliseconds: limits.silenceMilliseconds / 2) { [weak self] in
            self?.assumeIsolated { $0.checkSilence(number) }
        }
    }

    private func checkSilence(_ number: UInt64) {
        guard let session, session.number == number, session.isReady else { return }
        startKeepalive(session)
        guard time.boottime() - session.lastReceived >= limits.silenceMilliseconds, !session.isProbing else { return }
        session.isProbing = true
        ask(.get, to: session.ownAddress.server, Ping.request, session) { [weak self, weak session] result in
            session?.isProbing = false
            guard case .failure(let failure) = result, failure.code == .serverTimeout else { return }
            self?.assumeIsolated { $0.end(number, Failure(.netTimeout)) }
        }
    }
}
