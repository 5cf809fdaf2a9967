internal import CPlatform

// The flow of bytes of a stream socket, and its end.
extension StreamSocket {
    /// Bytes taken off the wire before anything else has its turn.
    private static let readBytes = 16384

    func isReady(_ readiness: EpollExecutor.Readiness) {
        if readiness.writable, interest.writes { flush() }
        if readiness.readable, interest.reads { receive() }
        // A hang-up is reported, again and again, whatever is waited for: look away until somebody wants to know.
        if !interest.reads, !interest.writes, let watch {
            executor.remove(watch)
            self.watch = nil
        }
    }

    /// Begins to watch the socket.
    /// - Returns: whether the kernel had room for it.
    func watchSocket(_ interest: EpollExecutor.Interest) -> Bool {
        guard let socket else { return false }
        self.interest = interest
        watch = executor.watch(socket.descriptor, interest) { [weak self] readiness in
            self?.assumeIsolated { $0.isReady(readiness) }
        }
        return watch != nil
    }

    /// Waits for what can be used now.
    func updateInterest() {
        guard socket != nil else { return }
        let wanted = EpollExecutor.Interest(
            reads: handshakeWaiter != nil || (isDelivering && isReading), writes: !queue.isEmpty)
        if let watch {
            guard wanted != interest else { return }
            interest = wanted
            executor.modify(watch, wanted)
        } else if wanted.reads || wanted.writes, !watchSocket(wanted) {
            connectionDidFail(NetError(.netClosed))
        }
    }

    /// Hands on what waits inside the TLS session, where no descriptor tells of it; after the caller's turn.
    func deliverSoon() {
        executor.schedule(afterMilliseconds: 0) { [weak self] in self?.assumeIsolated { $0.deliverDecrypted() } }
    }
}

// In.
extension StreamSocket {
    private func receive() {
        guard let socket else { return }
        var buffer = [UInt8](repeating: 0, count: Self.readBytes)
        switch buffer.withUnsafeMutableBytes(socket.read) {
        case .wouldBlock: break
        case .done(0): streamDidEnd()
        case .failed(let error): connectionDidFail(error)
        case .done(let count):
            guard let engine else {
                deliveredPlaintext += count
                return deliver(.received(Array(buffer[..<count])))
            }
            buffer.withUnsafeBytes { engine.feed(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            if engine.isEstablished { deliverDecrypted() } else { advanceHandshake() }
        }
    }

    func advanceHandshake() {
        guard let engine, handshakeWaiter != nil else { return }
        do throws(NetError) {
            let isUp = try engine.handshake()
            sendOutput()
            guard isUp else { return }
            handshakeDidEnd(nil)
            deliverSoon()
        } catch {
            // The alert that tells the server why.
            sendOutput()
            handshakeDidEnd(error)
        }
    }

    /// Ends the wait of whoever started the handshake. A failure ends an open stream there and then, before anything
    /// else can; what becomes of one that is being opened is for `open` to say.
    func handshakeDidEnd(_ error: NetError?) {
        if let error, isDelivering { return finish(error) }
        resumeHandshake(error)
        updateInterest()
    }

    private func resumeHandshake(_ error: NetError?) {
        handshakeWaiter?.resume(returning: error)
        handshakeWaiter = nil
    }

    /// Hands on what can be decrypted, as long as the handler wants it.
    func deliverDecrypted() {
        guard let engine, engine.isEstablished else { return }
        do throws(NetError) {
            while isReading, isDelivering {
                switch try engine.read() {
                case .bytes(let bytes): deliver(.received(bytes))
                case .none:
                    // Answers of TLS itself, to a key update for instance.
                    return sendOutput()
                case .end: return serverDidClose()
                }
            }
        } catch {
            sendOutput()
            finish(isClosing ? nil : error)
        }
    }

    private var isDelivering: Bool {
        switch phase {
        case .open, .closing: true
        case .idle, .opening, .closed: false
        }
    }

    private var isClosing: Bool { if case .closing = phase { true } else { false } }

    private func deliver(_ event: Event) { handler?(event) }

    /// End of the TCP stream: proper before TLS only; with TLS close_notify comes first (RFC 8446 section 6.1).
    private func streamDidEnd() {
        guard engine == nil else { return connectionDidFail(NetError(.netClosed)) }
        serverDidClose()
    }

    private func serverDidClose() {
        engine?.shutDown()
        sendOutput()
        finish(nil)
    }

    private func connectionDidFail(_ error: NetError) {
        if handshakeWaiter != nil { return handshakeDidEnd(error) }
        finish(isClosing ? nil : error)
    }
}

// Out.
extension StreamSocket {
    /// Puts bytes of the caller's into the queue, encrypted where TLS is up.
    func enqueue(_ bytes: [UInt8]) {
        if let engine {
            do throws(NetError) {
                try engine.write(bytes)
            } catch {
                return finish(error)
            }
            sendOutput()
        } else {
            append(bytes)
        }
    }

    /// Moves what TLS has to say to the queue.
    private func sendOutput() {
        guard let engine else { return }
        append(engine.takeOutput())
    }

    private func append(_ bytes: [UInt8]) {
        guard socket != nil, !bytes.isEmpty else { return }
        let wasEmpty = queue.isEmpty
        queue.append(bytes)
        if wasEmpty {
            lastProgress = postern_monotonic_milliseconds()
            flush()
        }
    }

    private func flush() {
        guard let socket else { return }
        let (taken, outcome) = queue.flush(socket.write)
        if taken > 0 { lastProgress = postern_monotonic_milliseconds() }
        if case .failed(let error) = outcome {
            queue.removeAll()
            // Not from inside a caller's `offer`: the reader's side may still have the server's last words.
            executor.schedule(afterMilliseconds: 0) { [weak self] in
                self?.assumeIsolated { $0.writingDidFail(error) }
            }
        }
        admitWaiters()
        watchForStall()
        updateInterest()
        if queue.isEmpty, isClosing { socket.finishWriting() }
    }

    /// Reads what the server said last, then ends.
    private func writingDidFail(_ error: NetError) {
        if isDelivering, engine?.isEstablished ?? true { receive() }
        if socket != nil { connectionDidFail(error) }
    }

    func admitWaiters() {
        // Queueing flushes, and flushing admits: once is enough.
        guard !isAdmitting else { return }
        isAdmitting = true
        defer { isAdmitting = false }
        while case .open = phase, handshakeWaiter == nil, let first = waiters.first,
            queue.hasRoom(for: first.bytes.count)
        {
            waiters.removeFirst()
            enqueue(first.bytes)
            first.continuation.resume(returning: nil)
        }
    }

    private func watchForStall() {
        if queue.isEmpty {
            stallTimer.map(executor.cancel)
            stallTimer = nil
        } else if stallTimer == nil {
            let left = lastProgress + limits.stallMilliseconds - postern_monotonic_milliseconds()
            stallTimer = executor.schedule(afterMilliseconds: left) { [weak self] in
                self?.assumeIsolated { $0.stallTimerDidFire() }
            }
        }
    }

    private func stallTimerDidFire() {
        stallTimer = nil
        if postern_monotonic_milliseconds() - lastProgress >= limits.stallMilliseconds {
            connectionDidFail(NetError(.netTimeout))
        } else {
            watchForStall()
        }
    }
}

// The end.
extension StreamSocket {
    func beginClosing() {
        guard case .open = phase else { return }
        if handshakeWaiter != nil { return finish(nil) }
        phase = .closing
        failWaiters()
        closeTimer = executor.schedule(afterMilliseconds: limits.closeMilliseconds) { [weak self] in
            self?.assumeIsolated { $0.finish(nil) }
        }
        engine?.shutDown()
        sendOutput()
        if queue.isEmpty { socket?.finishWriting() }
        if !isReading { setReading(true) }
    }

    /// Ends a stream that was open: everything is let go, everybody who waits is told, `closed` is delivered.
    func finish(_ error: NetError?) {
        guard isDelivering else { return }
        phase = .closed
        release()
        resumeHandshake(error ?? NetError(.netClosed))
        failWaiters()
        let handler = self.handler
        self.handler = nil
        handler?(.closed(error))
        resumeCloseWaiters()
    }

    /// Lets go of the connection.
    func release() {
        watch.map(executor.remove)
        watch = nil
        socket = nil
        engine = nil
        queue.removeAll()
        for timer in [stallTimer, closeTimer] { timer.map(executor.cancel) }
        stallTimer = nil
        closeTimer = nil
    }

    func resumeCloseWaiters() {
        let waiting = closeWaiters
        closeWaiters = []
        for waiter in waiting { waiter.resume() }
    }

    private func failWaiters() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.continuation.resume(returning: NetError(.netClosed)) }
    }
}
