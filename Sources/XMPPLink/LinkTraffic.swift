import Application
import Base
import Domain
import Net
import XMPP

// From the socket to the sink, and the end of a stream.
extension XMPPLink {
    /// The stream of that number, if it is still under way.
    private func openStream(_ number: UInt64) -> OpenStream? { current?.number == number ? current : nil }

    func didHear(_ event: StreamSocket.Event, _ number: UInt64) {
        guard let open = openStream(number), !open.hasEnded else { return }
        switch event {
        case .received(let bytes):
            open.received += bytes.count
            open.lastHeard = time.boottime()
            guard open.isConnected else {
                open.early.append(bytes)
                return
            }
            perform(stream?.receive(bytes) ?? [], open)
        case .closed(let error):
            stream?.didDisconnect()
            finish(error.map { Failure($0.code) } ?? Failure(.netClosed), open)
        }
    }

    /// Carries out what the stream asks for, in order.
    func perform(_ actions: [StreamAction], _ open: OpenStream) {
        for action in actions {
            guard !open.hasEnded else { return }
            switch action {
            case .send(let bytes): write(bytes, open)
            case .startTLS: startTLS(open)
            case .authenticated(let summary): open.authentication = summary
            case .ready(let ready): didBecomeReady(ready, open)
            case .stanza(let stanza, let mark): didReceive(stanza, mark, open)
            case .unusable(let mark): open.pump.add(mark)
            case .acknowledged(let tags): didAcknowledge(tags, open)
            case .unsettled(let tags): unsettled += tags.compactMap { self.tags.removeValue(forKey: $0) }
            case .ended(let failure):
                log.info("stream ended", ["reason": failure?.reason ?? .closedByServer])
                finish(failure.map { Failure($0.code) }, open)
            }
        }
        startPump(open)
        if open.pump.count > InboundPump.highWater { open.socket.assumeIsolated { $0.setReading(false) } }
    }

    func write(_ bytes: [UInt8], _ open: OpenStream) {
        if open.overflow.isEmpty {
            // Without a socket any more nothing is taken; its own last event tells why.
            let isTaken = open.socket.assumeIsolated { (socket) -> Bool? in try? socket.offer(bytes) }
            guard isTaken == false else { return }
        }
        open.overflow.append(bytes)
        guard !open.isFlushing else { return }
        open.isFlushing = true
        let number = open.number
        registry.start("link flush") { await self.flush(number) }
    }

    private func flush(_ number: UInt64) async {
        guard let open = openStream(number) else { return }
        while !open.overflow.isEmpty, !open.hasEnded {
            let bytes = Array(open.overflow.joined())
            open.overflow = []
            // Kept from the front while this waits, because `write` sees `isFlushing`.
            do { try await open.socket.send(bytes) } catch { break }
        }
        open.isFlushing = false
    }

    private func startTLS(_ open: OpenStream) {
        guard let policy = open.policy else { return }
        let consumed = open.received
        let number = open.number
        registry.start("link TLS") { await self.shakeHands(policy, consumed, number) }
    }

    private func shakeHands(_ policy: TLSPolicy, _ consumed: Int, _ number: UInt64) async {
        guard let open = openStream(number) else { return }
        do throws(NetError) {
            let details = try await open.socket.startTLS(policy, plaintextConsumed: consumed)
            guard current === open, !open.hasEnded else { return }
            open.tls = details
            perform(stream?.didStartTLS(details.bindings) ?? [], open)
        } catch {
            finish(Failure(error.code), open)
        }
    }

    private func didBecomeReady(_ ready: StreamReady, _ open: OpenStream) {
        open.ready = ready
        if !ready.isResumed || router == nil {
            abandonRequests()
            router = StanzaRouter(
                address: ready.address, capabilities: ClientProfile.capabilities,
                extensions: ClientProfile.extensions, entropy: entropy)
        }
        open.resumeReady(nil)
        watchSilence(open)
    }

    private func didAcknowledge(_ tags: [StanzaTag], _ open: OpenStream) {
        let ids = tags.compactMap { self.tags.removeValue(forKey: $0) }
        if !ids.isEmpty { open.pump.add(acknowledged: ids) }
        open.resumeRoom()
    }

    /// The stream that has room for `count` more messages, waiting for it. Throws `net.offline`.
    func room(for count: Int) async throws(Failure) -> OpenStream {
        while true {
            guard let open = current, open.isUsable else { throw Failure(.netOffline) }
            if let room = outgoingRoom, room >= count { return open }
            await withCheckedContinuation { open.roomWaiters.append($0) }
        }
    }

    /// How many more messages the stream takes now; nil without one.
    private var outgoingRoom: Int? {
        guard stream?.canSend == true else { return nil }
        return Self.unacknowledgedLimit - (stream?.unacknowledged.count ?? 0)
    }

    // MARK: The pump

    private func startPump(_ open: OpenStream) {
        guard !open.isPumping, open.ready != nil, !open.pump.isEmpty || open.hasEnded else { return }
        open.isPumping = true
        let number = open.number
        registry.start("link pump") { await self.pump(number) }
    }

    private func pump(_ number: UInt64) async {
        guard let open = openStream(number) else { return }
        while let step = open.pump.next() {
            do throws(Failure) {
                switch step {
                case .acknowledged(let ids): try await open.sink.acknowledged(ids)
                case .events(let events, let mark, let replies):
                    if !events.isEmpty { try await open.sink.receive(events) }
                    didHandle(mark, replies, open)
                }
            } catch {
                // What was not stored is not acknowledged: the server keeps it.
                open.pump = InboundPump()
                finish(error, open)
            }
            if open.pump.count < InboundPump.lowWater { await open.socket.setReading(true) }
        }
        open.isPumping = false
        if open.hasEnded { await close(open) }
    }

    private func didHandle(_ mark: InboundMark?, _ replies: [Element], _ open: OpenStream) {
        guard current === open else { return }
        if let mark { perform(stream?.didHandle(through: mark) ?? [], open) }
        for reply in replies where !open.hasEnded { perform(stream?.send(reply) ?? [], open) }
    }

    // MARK: The end

    func finish(_ failure: Failure?, _ number: UInt64) {
        if let open = openStream(number) { finish(failure, open) }
    }

    /// Ends the stream for both sides. What came before is still handed over; then the sink hears of the end.
    func finish(_ failure: Failure?, _ open: OpenStream) {
        guard !open.hasEnded else { return }
        open.hasEnded = true
        open.failure = failure
        open.resumeReady(failure ?? Failure(.netClosed))
        open.resumeRoom()
        startPump(open)
    }

    private func close(_ open: OpenStream) async {
        guard current === open else { return }
        keepResumable()
        unsettled += open.unmanaged
        await open.socket.close()
        if resumption == nil { abandonRequests() } else { abandonWaiters() }
        guard current === open else { return }
        current = nil
        await open.sink.linkDidEnd(open.failure)
        open.resumeEnd()
    }

    /// Takes from the stream what a later one can go on with, or what is now unknown.
    func keepResumable() {
        stream?.didDisconnect()
        if let session = stream?.resumableSession {
            resumption = session
        } else {
            unsettled += (stream?.unacknowledged ?? []).compactMap { tags.removeValue(forKey: $0) }
        }
        stream = nil
    }

    // MARK: Silence

    /// Asks a server that has been quiet whether it is there, and gives it up when it says nothing.
    private func watchSilence(_ open: OpenStream) {
        let number = open.number
        executor.schedule(afterMilliseconds: Self.quietMilliseconds / 4) { [weak self] in
            self?.assumeIsolated { $0.checkSilence(number) }
        }
    }

    private func checkSilence(_ number: UInt64) {
        guard let open = openStream(number), !open.hasEnded else { return }
        let silence = time.boottime() - open.lastHeard
        if silence >= Self.deadMilliseconds {
            stream?.didDisconnect()
            return finish(Failure(.netTimeout), open)
        }
        if silence >= Self.quietMilliseconds {
            let asked = stream?.requestAcknowledgement() ?? []
            perform(asked, open)
            // A refused request means that there is no stream to ask; its end comes by itself.
            if asked.isEmpty { _ = try? request(.get, to: nil, Ping.request, .ignored) }
        }
        watchSilence(open)
    }
}
