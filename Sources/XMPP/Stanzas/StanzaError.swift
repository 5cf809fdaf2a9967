/// Why a stanza was refused (RFC 6120, section 8.3).
package struct StanzaError: Error, Sendable, Equatable {
    /// What the sender may do about it.
    package enum Kind: String, Sendable {
        /// Give up.
        case cancel
        /// Go on; the condition is a warning.
        case `continue`
        /// Change what was sent.
        case modify
        /// Sign in, or get permission.
        case auth
        /// Try later.
        case wait
    }

    /// The defined conditions of RFC 6120, section 8.3.3.
    package enum Condition: String, Sendable, CaseIterable {
        case badRequest = "bad-request"
        case conflict
        case featureNotImplemented = "feature-not-implemented"
        case forbidden
        case gone
        case internalServerError = "internal-server-error"
        case itemNotFound = "item-not-found"
        case jidMalformed = "jid-malformed"
        case notAcceptable = "not-acceptable"
        case notAllowed = "not-allowed"
        case notAuthorized = "not-authorized"
        case policyViolation = "policy-violation"
        case recipientUnavailable = "recipient-unavailable"
        case redirect
        case registrationRequired = "registration-required"
        case remoteServerNotFound = "remote-server-not-found"
        case remoteServerTimeout = "remote-server-timeout"
        case resourceConstraint = "resource-constraint"
        case serviceUnavailable = "service-unavailable"
        case subscriptionRequired = "subscription-required"
        case undefinedCondition = "undefined-condition"
        case unexpectedRequest = "unexpected-request"
    }

    package let kind: Kind
    package let condition: Condition

    package init(_ kind: Kind, _ condition: Condition) {
        self.kind = kind
        self.condition = condition
    }

    /// The error in a stanza of type `error`; an absent or unknown one counts as `cancel`, `undefined-condition`.
    init(in stanza: Element) {
        let error = stanza.child("error", Namespace.client)
        kind = error?["type"].flatMap(Kind.init(rawValue:)) ?? .cancel
        condition =
            error?.elements.first { $0.namespace == Namespace.stanzaErrors && $0.name != "text" }
            .flatMap { Condition(rawValue: $0.name) } ?? .undefinedCondition
    }

    /// Whether the same stanza may pass later: type `wait`, and nothing else (RFC 6120, section 8.3.2).
    package var isRetryable: Bool { kind == .wait }

    package var element: Element {
        Element(
            "error", Namespace.client, ["type": kind.rawValue],
            [Element(condition.rawValue, Namespace.stanzaErrors)])
    }
}
