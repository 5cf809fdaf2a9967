import Base
import CryptoPrimitives

/// Authentication by SCRAM in XMPP's own framing (RFC 6120, section 6): `<auth/>`, challenges, success or failure.
struct SASLExchange: Sendable {
    /// What follows from an element of the server's.
    enum Reaction {
        case respond(Element)
        /// The server knows us, and has proved that it knows the password.
        case succeeded(AuthenticationSummary)
    }

    private let choice: MechanismChoice
    private var client: ScramClient
    private let initial: [UInt8]

    /// Chooses a mechanism and prepares its first message. Throws `auth.mechanism` where none is acceptable,
    /// `auth.refused` for a user name that none can carry.
    init(
        _ offer: MechanismOffer, bindings: ChannelBindings, configuration: StreamConfiguration, entropy: Entropy
    ) throws(StreamFailure) {
        guard let choice = MechanismChoice(offer, bindings: bindings) else {
            throw StreamFailure(.authMechanism, .noMechanism)
        }
        guard let user = SASLprep.prepare(configuration.account.local ?? ""), !user.isEmpty else {
            throw StreamFailure(.authRefused, .credentialsRefused)
        }
        self.choice = choice
        client = ScramClient(
            choice.mechanism.function, flag: choice.flag, password: configuration.password, offer: offer,
            salted: configuration.saltedPassword)
        initial = client.first(user: user, nonce: Base64.encode(entropy.bytes(24)))
    }

    /// The element that begins the exchange.
    var start: Element {
        Element("auth", Namespace.sasl, ["mechanism": choice.mechanism.name], text: Base64.encode(initial))
    }

    /// What the exchange leaves for the next login.
    var salted: SaltedPassword? { client.salted }

    mutating func didReceive(_ element: Element) throws(StreamFailure) -> Reaction {
        guard element.namespace == Namespace.sasl else {
            throw StreamFailure(.streamInvalid, .unexpectedElement, answer: .policyViolation)
        }
        switch element.name {
        case "challenge": return try answer(element)
        case "success": return try finish(element)
        case "failure": throw failure(element)
        default: throw StreamFailure(.streamInvalid, .unexpectedElement, answer: .policyViolation)
        }
    }

    private mutating func answer(_ challenge: Element) throws(StreamFailure) -> Reaction {
        guard let data = Base64.decode(challenge.text) else { throw StreamFailure(.authServerProof, .badChallenge) }
        let response: [UInt8]
        if client.awaitsFinal {
            // The final message may come as a challenge, to be answered with nothing (RFC 6120, section 6.4.6).
            try client.didReceiveFinal(data)
            response = []
        } else {
            response = try client.didReceiveFirst(data)
        }
        return .respond(Element("response", Namespace.sasl, text: Base64.encode(response)))
    }

    private mutating func finish(_ success: Element) throws(StreamFailure) -> Reaction {
        if !client.isVerified {
            guard let data = Base64.decode(success.text) else {
                throw StreamFailure(.authServerProof, .signatureMissing)
            }
            try client.didReceiveFinal(data)
        }
        var binding: ChannelBindingType?
        if case .bound(let type, _) = choice.flag { binding = type }
        return .succeeded(
            AuthenticationSummary(
                mechanism: choice.mechanism.name, binding: binding,
                isDowngradeProtected: client.isDowngradeProtected))
    }

    /// RFC 6120, section 6.5.
    private func failure(_ element: Element) -> StreamFailure {
        let condition = element.elements.first { $0.namespace == Namespace.sasl && $0.name != "text" }?.name
        switch condition {
        case "temporary-auth-failure": return StreamFailure(.authTemporary, .authenticationFailed)
        case "aborted": return StreamFailure(.authAborted, .authenticationFailed)
        case "invalid-mechanism", "mechanism-too-weak", "encryption-required":
            return StreamFailure(.authMechanism, .authenticationFailed)
        // A server that can bind refuses `y`: somebody took -PLUS out of its offer on the way (RFC 5802, section 6).
        case "malformed-request" where choice.flag == .unused, "incorrect-encoding" where choice.flag == .unused:
            return StreamFailure(.authDowngrade, .downgradeDetected)
        default: return StreamFailure(.authRefused, .credentialsRefused)
        }
    }
}
