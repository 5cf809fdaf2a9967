import Base

/// From a connection to a bound or resumed stream (RFC 6120, sections 4 to 7; XEP-0198): what may come at each step,
/// and what follows from it. Anything else ends the stream.
struct NegotiationMachine: Sendable {
    enum Action: Sensitive, Equatable {
        /// Forget what the parser knows, and send a header. `isPrivate`: whether our address may stand in it.
        case openStream(isPrivate: Bool)
        case send(Element)
        case startTLS
        case authenticated(AuthenticationSummary)
        /// Ask the server to go on with the earlier stream.
        case resume(ResumableSession)
        /// The earlier stream goes on; the server's count of what it took.
        case resumed(count: UInt32, ServerFeatures)
        /// The earlier stream is gone; the server's count, where it says.
        case notResumed(count: UInt32?)
        case bound(JID, ServerFeatures)
        /// Management is on, under this id if it can be resumed.
        case managed(id: String?)
        /// Stanzas flow.
        case established
        case failed(StreamFailure)
    }

    /// What the last stream features said.
    struct ServerFeatures: Equatable, Sendable {
        var hasManagement = false
        var hasRosterVersions = false
    }

    private enum State {
        case idle
        case awaitingHeader(Stage)
        case awaitingFeatures(Stage, isForeign: Bool)
        case awaitingProceed
        case awaitingTLS
        case authenticating(SASLExchange)
        case resuming(ResumableSession, ServerFeatures)
        case binding(id: String, ServerFeatures)
        case enabling
        case established
        case ended
    }

    /// How far the stream has come when a header is sent.
    private enum Stage {
        case plain
        case secured(ChannelBindings)
        case authenticated
    }

    private let configuration: StreamConfiguration
    private let entropy: Entropy
    private var state = State.idle
    /// The outcome of the password's stretching, for the next login.
    private(set) var salted: SaltedPassword?

    init(_ configuration: StreamConfiguration, entropy: Entropy) {
        self.configuration = configuration
        self.entropy = entropy
    }

    var isEstablished: Bool {
        switch state {
        case .established: true
        case .idle, .awaitingHeader, .awaitingFeatures, .awaitingProceed, .awaitingTLS, .authenticating, .resuming,
            .binding, .enabling, .ended:
            false
        }
    }

    /// Whether the next thing to come is the server's header or TLS: bytes that are already here came too early.
    var mustStartAnew: Bool {
        switch state {
        case .awaitingHeader, .awaitingTLS: true
        case .idle, .awaitingFeatures, .awaitingProceed, .authenticating, .resuming, .binding, .enabling, .established,
            .ended:
            false
        }
    }

    /// Whether the TLS handshake is under way.
    var isWaitingForTLS: Bool {
        switch state {
        case .awaitingTLS: true
        case .idle, .awaitingHeader, .awaitingFeatures, .awaitingProceed, .authenticating, .resuming, .binding,
            .enabling, .established, .ended:
            false
        }
    }

    /// Whether the server still says who it is in the clear.
    var isPlain: Bool {
        switch state {
        case .awaitingHeader(.plain), .awaitingFeatures(.plain, _), .awaitingProceed, .awaitingTLS, .idle: true
        case .awaitingHeader, .awaitingFeatures, .authenticating, .resuming, .binding, .enabling, .established, .ended:
            false
        }
    }

    // MARK: Inputs

    mutating func didConnect() -> [Action] {
        switch configuration.security {
        case .startTLS:
            state = .awaitingHeader(.plain)
            return [.openStream(isPrivate: false)]
        case .direct(let bindings):
            state = .awaitingHeader(.secured(bindings))
            return [.openStream(isPrivate: true)]
        }
    }

    mutating func didStartTLS(_ bindings: ChannelBindings) -> [Action] {
        guard case .awaitingTLS = state else { return fail(.streamInvalid, .unexpectedElement) }
        state = .awaitingHeader(.secured(bindings))
        return [.openStream(isPrivate: true)]
    }

    /// The server's header came.
    mutating func didReceiveHeader(_ header: Element) -> [Action] {
        guard case .awaitingHeader(let stage) = state else { return fail(.streamInvalid, .secondHeader, .badFormat) }
        guard let version = header["version"], version.prefix(2) == "1." else {
            return fail(.streamInvalid, .wrongVersion, .unsupportedVersion)
        }
        // A server that does not know our domain may answer in its own name, to say so in a stream error.
        let isForeign = header["from"].map { DomainName.normalize($0) != configuration.account.domain } ?? false
        state = .awaitingFeatures(stage, isForeign: isForeign)
        return []
    }

    /// A child of the stream's root came.
    mutating func didReceive(_ element: Element) -> [Action] {
        if element.isNamed("error", Namespace.stream) {
            state = .ended
            return [.failed(StreamFailure(streamError: element))]
        }
        switch state {
        case .awaitingFeatures(let stage, let isForeign):
            guard element.isNamed("features", Namespace.stream) else {
                return fail(.streamInvalid, .missingFeatures, .policyViolation)
            }
            guard !isForeign else { return fail(.streamInvalid, .wrongSender, .invalidFrom) }
            return didReceiveFeatures(element, stage)
        case .awaitingProceed: return didReceiveTLSAnswer(element)
        case .authenticating(let exchange): return didReceiveSASL(element, exchange)
        case .resuming(let session, let features): return didReceiveResumption(element, session, features)
        case .binding(let id, let features): return didReceiveBinding(element, id, features)
        case .enabling: return didReceiveEnabling(element)
        case .awaitingTLS: return fail(.streamInvalid, .plaintextAfterStartTLS)
        case .idle, .awaitingHeader, .established: return fail(.streamInvalid, .unexpectedElement, .policyViolation)
        case .ended: return []
        }
    }

    // MARK: Steps

    private mutating func didReceiveFeatures(_ features: Element, _ stage: Stage) -> [Action] {
        switch stage {
        case .plain:
            guard features.child("starttls", Namespace.tls) != nil else { return fail(.tlsRequired, .missingStartTLS) }
            state = .awaitingProceed
            return [.send(Element("starttls", Namespace.tls))]
        case .secured(let bindings):
            return authenticate(features, bindings)
        case .authenticated:
            let server = ServerFeatures(features)
            guard features.child("bind", Namespace.bind) != nil || server.hasManagement else {
                return fail(.streamInvalid, .missingBind, .unsupportedFeature)
            }
            guard let session = configuration.resumption else { return bind(server) }
            guard server.hasManagement else { return [.notResumed(count: nil)] + bind(server) }
            state = .resuming(session, server)
            return [.resume(session)]
        }
    }

    private mutating func didReceiveTLSAnswer(_ element: Element) -> [Action] {
        if element.isNamed("proceed", Namespace.tls) {
            state = .awaitingTLS
            return [.startTLS]
        }
        return element.isNamed("failure", Namespace.tls)
            ? fail(.tlsFailed, .startTLSRefused) : fail(.streamInvalid, .unexpectedElement, .policyViolation)
    }

    private mutating func authenticate(_ features: Element, _ bindings: ChannelBindings) -> [Action] {
        guard let offer = MechanismOffer(features: features) else { return fail(.authMechanism, .noMechanism) }
        do {
            let exchange = try SASLExchange(offer, bindings: bindings, configuration: configuration, entropy: entropy)
            state = .authenticating(exchange)
            return [.send(exchange.start)]
        } catch {
            return fail(error)
        }
    }

    private mutating func didReceiveSASL(_ element: Element, _ exchange: SASLExchange) -> [Action] {
        var exchange = exchange
        do {
            switch try exchange.didReceive(element) {
            case .respond(let response):
                state = .authenticating(exchange)
                return [.send(response)]
            case .succeeded(let summary):
                salted = exchange.salted
                state = .awaitingHeader(.authenticated)
                return [.authenticated(summary), .openStream(isPrivate: true)]
            }
        } catch {
            return fail(error)
        }
    }

    private mutating func didReceiveResumption(
        _ element: Element, _ session: ResumableSession, _ features: ServerFeatures
    ) -> [Action] {
        if element.isNamed("resumed", ManagementElements.namespace) {
            guard let count = ManagementElements.count(element), element["previd"] == session.id else {
                return fail(.streamInvalid, .wrongResumption, .undefinedCondition)
            }
            state = .established
            return [.resumed(count: count, features), .established]
        }
        guard element.isNamed("failed", ManagementElements.namespace) else {
            return fail(.streamInvalid, .unexpectedElement, .policyViolation)
        }
        return [.notResumed(count: ManagementElements.count(element))] + bind(features)
    }

    private mutating func bind(_ features: ServerFeatures) -> [Action] {
        let id = "bind-\(entropy.number(below: 1 << 32))"
        state = .binding(id: id, features)
        let resource = configuration.account.resource.map { Element("resource", Namespace.bind, text: $0) }
        let request = Element("bind", Namespace.bind).adding(resource)
        return [.send(IQ(id: id, to: nil, kind: .set, request).element)]
    }

    private mutating func didReceiveBinding(_ element: Element, _ id: String, _ features: ServerFeatures) -> [Action] {
        guard case .iq(let answer)? = Stanza(element), answer.id == id else {
            return fail(.streamInvalid, .unexpectedElement, .policyViolation)
        }
        if let error = answer.error {
            return fail(error.condition == .conflict ? .streamConflict : .serverRefused, .bindRefused)
        }
        guard answer.kind == .result, let text = answer.payload?.child("jid", Namespace.bind)?.text,
            let address = try? JID(text), address.isFull, address.bare == configuration.account.bare
        else { return fail(.streamInvalid, .badBoundAddress, .policyViolation) }
        guard features.hasManagement else {
            state = .established
            return [.bound(address, features), .established]
        }
        state = .enabling
        return [.bound(address, features), .send(ManagementElements.enable)]
    }

    private mutating func didReceiveEnabling(_ element: Element) -> [Action] {
        if element.isNamed("enabled", ManagementElements.namespace) {
            state = .established
            let canResume = element["resume"] == "true" || element["resume"] == "1"
            return [.managed(id: canResume ? element["id"].flatMap { $0.isEmpty ? nil : $0 } : nil), .established]
        }
        guard element.isNamed("failed", ManagementElements.namespace) else {
            return fail(.streamInvalid, .unexpectedElement, .policyViolation)
        }
        state = .established
        return [.established]
    }

    private mutating func fail(
        _ code: ErrorCode, _ reason: StreamFailure.Reason, _ answer: StreamCondition? = nil
    ) -> [Action] {
        fail(StreamFailure(code, reason, answer: answer))
    }

    private mutating func fail(_ failure: StreamFailure) -> [Action] {
        state = .ended
        return [.failed(failure)]
    }
}

extension NegotiationMachine.ServerFeatures {
    init(_ features: Element) {
        hasManagement = features.child("sm", ManagementElements.namespace) != nil
        hasRosterVersions = features.child("ver", "urn:xmpp:features:rosterver") != nil
    }
}

extension StreamFailure {
    /// What a `<stream:error/>` of the server's means (RFC 6120, section 4.9). Another host it names is not followed:
    /// whoever can write that could lead us anywhere.
    init(streamError element: Element) {
        let name = element.elements.first { $0.namespace == Namespace.streamErrors && $0.name != "text" }?.name
        switch name.flatMap(StreamCondition.init(rawValue:)) {
        case .conflict: self.init(.streamConflict, .replaced)
        case .seeOtherHost: self.init(.streamError, .seeOtherHost)
        case .hostUnknown, .hostGone: self.init(.streamError, .hostUnknown)
        case .systemShutdown, .reset: self.init(.streamError, .serverShutdown)
        case .policyViolation, .badFormat, .badNamespacePrefix, .connectionTimeout, .improperAddressing,
            .internalServerError, .invalidFrom, .invalidNamespace, .invalidXML, .notAuthorized, .notWellFormed,
            .remoteConnectionFailed, .resourceConstraint, .restrictedXML, .undefinedCondition, .unsupportedEncoding,
            .unsupportedFeature, .unsupportedStanzaType, .unsupportedVersion, nil:
            self.init(.streamError, .streamError)
        }
    }
}
