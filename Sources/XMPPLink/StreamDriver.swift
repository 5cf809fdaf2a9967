import Base
import Net
import XMPP

// Bytes and events of the socket into the stream, and the stream's actions out.
extension XMPPLink {
    func socketDid(_ event: StreamSocket.Event, _ number: UInt64) {
        guard let session, session.number == number, !session.isEnded else { return }
        switch event {
        case .received(let bytes):
            session.bytesReceived += bytes.count
            guard session.stream != nil, !session.isStartingTLS, session.earlyBytes.isEmpty else {
                session.earlyBytes += bytes
                return
            }
            let actions = session.stream?.receive(bytes) ?? []
            session.didHear(bytes.count, isWhole: !actions.isEmpty, at: time.boottime())
            perform(actions, session)
        case .closed(let error):
            if session.isClosing { end(number, nil) } else { end(number, Failure(error?.code ?? .netClosed)) }
        }
    }

    /// Reads what came while TLS was being set up.
    func takeEarlyBytes(_ session: LinkSession) {
        guard !session.isStartingTLS, !session.earlyBytes.isEmpty else { return }
        let bytes = session.earlyBytes
        session.earlyBytes = []
        perform(session.stream?.receive(bytes) ?? [], session)
    }

    func perform(_ actions: [StreamAction], _ session: LinkSession) {
        // What goes out together is one write, and few records of TLS.
        var bytes: [UInt8] = []
        for action in actions {
            if case .send(let more) = action {
                bytes += more
                continue
            }
            if !bytes.isEmpty { write(bytes, session) }
            bytes = []
            perform(action, session)
        }
        if !bytes.isEmpty { write(bytes, session) }
        if session.inbound.isLong { setReading(false, session) }
        wakePump(session)
    }

    private func perform(_ action: StreamAction, _ session: LinkSession) {
        switch action {
        case .send(let bytes): write(bytes, session)
        case .startTLS: startTLS(session)
        case .authenticated(let summary): session.authentication = summary
        case .ready(let ready): didBecomeReady(ready, session)
        case .stanza(let stanza, let mark):
            take(stanza, session)
            session.inbound.append(.mark(mark))
        case .unusable(let mark): session.inbound.append(.mark(mark))
        case .acknowledged(let tags): acknowledge(tags.map(\.value), session)
        case .ended(let failure):
            if failure?.code == .streamTooLarge { leavesOutLarge = true }
            end(session.number, failure.map { Failure($0.code) }, failure?.reason)
        }
    }

    private func startTLS(_ session: LinkSession) {
        session.isStartingTLS = true
        let number = session.number
        let consumed = session.bytesReceived
        session.tasks.start("start TLS") { [socket = session.socket, policy = session.place.policy] in
            let result: Result<TLSDetails, NetError>
            do throws(NetError) {
                result = .success(try await socket.startTLS(policy, plaintextConsumed: consumed))
            } catch { result = .failure(error) }
            await self.didStartTLS(result, number)
        }
    }

    private func didStartTLS(_ result: Result<TLSDetails, NetError>, _ number: UInt64) {
        guard let session, session.number == number, !session.isEnded else { return }
        switch result {
        case .failure(let error): end(number, Failure(error.code))
        case .success(let details):
            session.tls = details
            session.isStartingTLS = false
            perform(session.stream?.didStartTLS(ChannelBindings(details)) ?? [], session)
            takeEarlyBytes(session)
        }
    }

    private func didBecomeReady(_ ready: StreamReady, _ session: LinkSession) {
        session.ready = ready
        session.router = StanzaRouter(
            address: ready.address, capabilities: Advertised.capabilities, extensions: Advertised.extensions,
            entropy: entropy)
        // Of what earlier streams were given nothing more will be heard.
        if !ready.isResumed { open = [:] }
        let opening = session.opening
        session.opening = nil
        opening?.resume(returning: .success(ready))
    }

    /// Ends a stream, once: whoever waits for something of it hears so, what it has brought is still taken in, and then
    /// the sink is told.
    /// - Parameter reason: for the log, where there is more to say than the code.
    func end(_ number: UInt64, _ failure: Failure?, _ reason: StreamFailure.Reason? = nil) {
        guard let session, session.number == number, session.markEnded(failure) else { return }
        switch (failure, reason) {
        case (let failure?, let reason?): log.info("stream ended", ["code": failure.code, "reason": reason])
        case (let failure?, nil): log.info("stream ended", ["code": failure.code])
        case (nil, _): break
        }
        session.stream?.didDisconnect()
        let opening = session.opening
        session.opening = nil
        opening?.resume(returning: .failure(failure ?? Failure(.netClosed)))
        _ = session.router?.abandon()
        let requests = session.requests
        session.requests = [:]
        session.pages = [:]
        for request in requests.values {
            executor.cancel(request.timer)
            request.answer(.failure(Failure(.netClosed)))
        }
        releaseRoom(session)
        wakePump(session)
        // Sends what is queued (a stream error, our end tag) and lets go.
        session.tasks.start("close socket") { [socket = session.socket] in await socket.close() }
    }
}
