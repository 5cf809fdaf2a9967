package import Base

/// An XMPP client's stream without its socket: bytes and past events go in, actions come out (RFC 6120).
///
/// The owner (one actor) opens the connection, calls `start`, feeds what it reads to `receive`, and carries out the
/// actions in order. It bounds time by itself; this value knows no clock. Everything else is bounded here: sizes by
/// `XMLLimits`, unacknowledged stanzas by `canSend`.
///
///     start → send(header)
///     receive(…) → … startTLS            → didStartTLS(bindings) → send(header)
///     receive(…) → … authenticated       → send(header)
///     receive(…) → … ready               → send(roster request, presence, …)
///     receive(…) → stanza(s, mark) …     → didHandle(through: mark), once durable
///     receive(…) → … ended(failure)
package struct XMPPStream: ~Copyable, Sendable {
    private let configuration: StreamConfiguration
    private var negotiation: NegotiationMachine
    private var parser: ParserBox
    private var management: StreamManagement?
    private var managementID: String?
    private var address: JID?
    private var features = NegotiationMachine.ServerFeatures()
    private var isResumed = false
    /// What is still to be resumed; nil once the server has answered.
    private var resumption: ResumableSession?
    /// Stanzas that came between binding and the answer to `<enable/>`; not counted by either side.
    private var early: [Element] = []
    private var spaceBudget: Int
    private var phase = Phase.open

    private enum Phase {
        case open
        /// We closed our side and wait for the server to close its own.
        case closing
        case ended
    }

    /// Most stanzas kept before `ready`.
    private static let earlyLimit = 64

    package init(_ configuration: StreamConfiguration, entropy: Entropy) {
        self.configuration = configuration
        negotiation = NegotiationMachine(configuration, entropy: entropy)
        parser = ParserBox(configuration.limits)
        spaceBudget = configuration.limits.negotiationSpace
        resumption = configuration.resumption
    }

    // MARK: State

    /// What a later stream can go on with; nil where there is nothing, or the stream was closed in order.
    package var resumableSession: ResumableSession? {
        guard let management, let managementID, let address else {
            // One that broke before the server answered may still be resumed; not without end, though: a server that
            // hangs up, or never answers, would keep us out for good.
            return resumption.flatMap { $0.attempts < ResumableSession.attemptLimit ? $0 : nil }
        }
        return management.session(managementID, address: address)
    }

    /// The stretched password, for the next login.
    package var saltedPassword: SaltedPassword? { negotiation.salted ?? configuration.saltedPassword }

    /// Whether stanzas can be sent: the stream is ready, and the server keeps up with acknowledging.
    package var canSend: Bool { negotiation.isEstablished && phase == .open && management?.canSend ?? true }

    /// The number of the request for acknowledgement that waits for its answer; nil for none. The owner bounds the wait.
    package var openRequest: UInt64? { management?.openRequest }

    // MARK: Inputs

    /// The connection is there (and, with direct TLS, secure).
    package mutating func start() -> [StreamAction] { perform(negotiation.didConnect()) }

    /// The TLS handshake that `startTLS` asked for is done, and the certificate accepted.
    package mutating func didStartTLS(_ bindings: ChannelBindings) -> [StreamAction] {
        perform(negotiation.didStartTLS(bindings))
    }

    /// Bytes came from the server.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [StreamAction] {
        guard phase != .ended else { return [] }
        // While TLS starts, nothing may come in the clear (RFC 6120, section 5.4.3.3: a way to inject commands).
        if !bytes.isEmpty, negotiation.isWaitingForTLS {
            return end(StreamFailure(.streamInvalid, .plaintextAfterStartTLS))
        }
        var actions: [StreamAction] = []
        let current = parser.parser
        let events = current.feed(bytes)
        for (index, event) in events.enumerated() {
            guard phase != .ended else { break }
            actions += handle(event)
            // What follows now would be read as the new stream's, though it was sent before.
            let isEarly = index + 1 < events.count || current.trailingBytes > 0
            if negotiation.mustStartAnew, phase != .ended, isEarly {
                actions.removeAll { $0 == .startTLS }
                let reason: StreamFailure.Reason = negotiation.isPlain ? .plaintextAfterStartTLS : .bytesBeforeRestart
                return actions + end(StreamFailure(.streamInvalid, reason))
            }
        }
        if phase != .ended, !negotiation.isEstablished {
            spaceBudget -= bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D } ? bytes.count : 0
            if spaceBudget < 0 {
                actions += end(StreamFailure(.streamTooLarge, .spaceLimit, answer: .policyViolation))
            }
        }
        return actions
    }

    package mutating func receive(_ bytes: [UInt8]) -> [StreamAction] { bytes.withUnsafeBytes { receive($0) } }

    /// Sends a stanza. With stream management, `tag` comes back in `acknowledged`, and the stanza is sent again if
    /// the stream is resumed. Call it only where `canSend`; otherwise nothing is sent and nothing kept.
    package mutating func send(_ stanza: Element, tag: StanzaTag? = nil) -> [StreamAction] {
        guard canSend else { return [] }
        return send(encoded: ElementWriter.bytes(stanza), tag: tag)
    }

    /// As `send`, for a stanza that was written before: the very same bytes, each time. It has to be one whole stanza.
    package mutating func send(encoded bytes: [UInt8], tag: StanzaTag? = nil) -> [StreamAction] {
        guard canSend else { return [] }
        guard management != nil else { return [.send(bytes)] }
        let asks = management?.didSend(bytes, tag: tag) ?? false
        return [.send(asks ? bytes + ElementWriter.bytes(ManagementElements.request) : bytes)]
    }

    /// The stanza with `mark` and all before it are durable: the server may forget them.
    package mutating func didHandle(through mark: InboundMark) -> [StreamAction] {
        guard management?.didHandle(through: mark) ?? false, phase == .open else { return [] }
        return [.send(report())]
    }

    /// Closes the stream in order. `ended(nil)` follows when the server has closed its side; the owner bounds the wait.
    package mutating func close() -> [StreamAction] {
        guard phase == .open else { return [] }
        // What was handled is told, or the server keeps it for another stream.
        let last = negotiation.isEstablished && management != nil ? report() : []
        phase = .closing
        // The server forgets the stream as well.
        managementID = nil
        resumption = nil
        return [.send(last + Array("</stream:stream>".utf8))]
    }

    /// The connection is gone, whoever closed it. What can be resumed stays in `resumableSession`.
    package mutating func didDisconnect() { if phase == .open { phase = .ended } }

    // MARK: Events

    private mutating func handle(_ event: XMLEvent) -> [StreamAction] {
        switch event {
        case .opened(let header): return perform(negotiation.didReceiveHeader(header))
        case .stanza(let element): return didReceive(element)
        case .leftOut:
            // Counted as any other, or the server would send it again for ever.
            return (management?.didReceiveStanza()).map { [.unusable($0)] } ?? []
        case .failed(let failure): return end(failure)
        case .closed:
            if phase == .closing {
                phase = .ended
                return [.ended(nil)]
            }
            return end(StreamFailure(.netClosed, .closedByServer))
        }
    }

    private mutating func didReceive(_ element: Element) -> [StreamAction] {
        guard negotiation.isEstablished else {
            // Only what is addressed to the address we just bound can come here.
            guard address != nil, element.namespace == Namespace.client else {
                return perform(negotiation.didReceive(element))
            }
            guard early.count < Self.earlyLimit else {
                return end(StreamFailure(.streamInvalid, .unexpectedElement, answer: .policyViolation))
            }
            early.append(element)
            return []
        }
        switch element.namespace {
        case Namespace.client: return deliver(element)
        case ManagementElements.namespace: return didReceiveManagement(element)
        case Namespace.stream where element.name == "error": return end(StreamFailure(streamError: element))
        default:
            // A stanza of another namespace was not meant for a client; anything else is an extension we do not know.
            guard ["message", "presence", "iq"].contains(element.name) else { return [] }
            return end(StreamFailure(.streamInvalid, .wrongNamespace, answer: .invalidNamespace))
        }
    }

    private mutating func deliver(_ element: Element) -> [StreamAction] {
        guard let mark = management?.didReceiveStanza() else {
            return Stanza(element).map { [.stanza($0, InboundMark(stream: .max, number: 0))] } ?? []
        }
        guard let stanza = Stanza(element) else { return [.unusable(mark)] }
        return [.stanza(stanza, mark)]
    }

    private mutating func didReceiveManagement(_ element: Element) -> [StreamAction] {
        guard management != nil else { return [] }
        switch element.name {
        case "r":
            management?.didReceiveRequest()
            return phase == .open ? [.send(report())] : []
        case "a":
            guard let count = ManagementElements.count(element) else {
                return end(StreamFailure(.streamInvalid, .unexpectedElement, answer: .badFormat))
            }
            return acknowledge(count)
        default: return []
        }
    }

    private mutating func acknowledge(_ count: UInt32) -> [StreamAction] {
        do {
            let tags = try management?.didReceiveCount(count) ?? []
            var actions: [StreamAction] = tags.isEmpty ? [] : [.acknowledged(tags)]
            // More was sent while the answer was on its way.
            if phase == .open, management?.ask() ?? false {
                actions.append(.send(ElementWriter.bytes(ManagementElements.request)))
            }
            return actions
        } catch {
            return end(error)
        }
    }

    private mutating func report() -> [UInt8] {
        management?.didReport()
        return ElementWriter.bytes(ManagementElements.answer(management?.inboundCount ?? 0))
    }

    // MARK: Negotiation's actions

    private mutating func perform(_ steps: [NegotiationMachine.Action]) -> [StreamAction] {
        var actions: [StreamAction] = []
        for step in steps {
            guard phase != .ended else { break }
            actions += perform(step)
        }
        return actions
    }

    private mutating func perform(_ step: NegotiationMachine.Action) -> [StreamAction] {
        switch step {
        case .openStream(let isPrivate):
            parser = ParserBox(configuration.limits)
            return [.send(header(withAddress: isPrivate))]
        case .send(let element): return [.send(ElementWriter.bytes(element))]
        case .startTLS: return [.startTLS]
        case .authenticated(let summary): return [.authenticated(summary)]
        case .resume(let session):
            resumption?.attempts += 1
            return [.send(ElementWriter.bytes(ManagementElements.resume(session)))]
        case .resumed(let count, let features):
            self.features = features
            return resume(count)
        case .notResumed(let count): return abandon(count)
        case .bound(let address, let features):
            self.address = address
            self.features = features
            return []
        case .managed(let id):
            management = StreamManagement()
            managementID = id
            return []
        case .established: return establish()
        case .failed(let failure): return end(failure)
        }
    }

    /// Sends again what the server has not taken.
    private mutating func resume(_ count: UInt32) -> [StreamAction] {
        guard let session = resumption.take() else { return [] }
        var resumed = StreamManagement(resuming: session)
        do {
            let tags = try resumed.didReceiveCount(count)
            address = session.address
            managementID = session.id
            isResumed = true
            var actions: [StreamAction] = tags.isEmpty ? [] : [.acknowledged(tags)]
            var again = resumed.queue.flatMap(\.bytes)
            if resumed.ask() { again += ElementWriter.bytes(ManagementElements.request) }
            management = resumed
            if !again.isEmpty { actions.append(.send(again)) }
            return actions
        } catch {
            return end(error)
        }
    }

    /// The server does not know the stream any more; it may still know how much it had taken.
    private mutating func abandon(_ count: UInt32?) -> [StreamAction] {
        guard let session = resumption.take() else { return [] }
        var old = StreamManagement(resuming: session)
        let tags = count.flatMap { try? old.didReceiveCount($0) } ?? []
        return tags.isEmpty ? [] : [.acknowledged(tags)]
    }

    private mutating func establish() -> [StreamAction] {
        guard let address else { return [] }
        let ready = StreamReady(
            address: address, isResumed: isResumed, isManaged: management != nil, isResumable: managementID != nil,
            hasRosterVersions: features.hasRosterVersions)
        let waiting = early.compactMap { Stanza($0) }.map {
            StreamAction.stanza($0, InboundMark(stream: .max, number: 0))
        }
        early = []
        parser.parser.leavesOutLarge = configuration.leavesOutLarge
        return [.ready(ready)] + waiting
    }

    private mutating func end(_ failure: StreamFailure) -> [StreamAction] {
        // Our side is closed already: nothing can be sent behind its end tag.
        let isClosed = phase == .closing
        phase = .ended
        guard !isClosed else { return [.ended(failure)] }
        guard let condition = failure.answer else { return [.send(Array("</stream:stream>".utf8)), .ended(failure)] }
        // An error of ours ends the stream for good (RFC 6120, section 4.9.1.1).
        managementID = nil
        resumption = nil
        let error = "<stream:error><\(condition.rawValue) xmlns='\(Namespace.streamErrors)'/></stream:error>"
        return [.send(Array((error + "</stream:stream>").utf8)), .ended(failure)]
    }

    /// RFC 6120, section 4.7. Our own address stays unsaid until the stream is encrypted (section 4.7.1).
    private func header(withAddress: Bool) -> [UInt8] {
        var root = Element("stream:stream", Namespace.client)
        root["to"] = configuration.account.domain
        if withAddress { root["from"] = configuration.account.bare.addressText }
        root["version"] = "1.0"
        root.attributes.append(Attribute("lang", configuration.language, namespace: Namespace.xml))
        var writer = ElementWriter()
        writer.writeOpen(root, ["xmlns": Namespace.client, "xmlns:stream": Namespace.stream])
        return Array("<?xml version='1.0'?>".utf8) + writer.bytes
    }
}

/// The one parser of a stream, replaced when the stream starts anew.
// @unchecked: only `XMPPStream` refers to it, which cannot be copied, and only its mutating calls touch it.
private final class ParserBox: @unchecked Sendable {
    let parser: XMLStreamParser
    init(_ limits: XMLLimits) { parser = XMLStreamParser(limits: limits) }
}
