package import Base

/// Why a stream ended: a stable code, what to tell the server, and a reason for the log.
package struct StreamFailure: CodedError, Equatable {
    package let code: ErrorCode
    /// The condition of the `<stream:error/>` that answers it; nil where nothing is sent (the server closed, or
    /// the connection is not to be trusted with an answer).
    package let answer: StreamCondition?
    package let reason: Reason

    package init(_ code: ErrorCode, _ reason: Reason, answer: StreamCondition? = nil) {
        self.code = code
        self.reason = reason
        self.answer = answer
    }

    /// Class S0: names what happened, never with what.
    package enum Reason: String, LogSafe {
        // The parser's.
        case malformedXML, restrictedXML, badEncoding, unboundPrefix, badRoot, strayText
        case depthLimit, attributeLimit, nameLimit, stanzaLimit, tagLimit, spaceLimit
        // Negotiation's.
        case wrongVersion, wrongNamespace, wrongSender, missingFeatures, missingStartTLS, startTLSRefused
        case plaintextAfterStartTLS, unexpectedElement, bytesBeforeRestart, missingBind, bindRefused
        case badBoundAddress, secondHeader
        // Authentication's.
        case noMechanism, credentialsRefused, authenticationFailed, passwordUnusable, badChallenge, nonceMismatch
        case iterationsTooFew, iterationsTooMany, signatureMismatch, signatureMissing, downgradeDetected
        // Management's.
        case acknowledgedTooMany, acknowledgedBackwards, wrongResumption
        // The server's own words.
        case streamError, seeOtherHost, replaced, serverShutdown, hostUnknown, closedByServer

        package var logText: String { rawValue }
    }
}

/// The conditions of a stream error (RFC 6120, section 4.9.3).
package enum StreamCondition: String, LogSafe, CaseIterable {
    case badFormat = "bad-format"
    case badNamespacePrefix = "bad-namespace-prefix"
    case conflict
    case connectionTimeout = "connection-timeout"
    case hostGone = "host-gone"
    case hostUnknown = "host-unknown"
    case improperAddressing = "improper-addressing"
    case internalServerError = "internal-server-error"
    case invalidFrom = "invalid-from"
    case invalidNamespace = "invalid-namespace"
    case invalidXML = "invalid-xml"
    case notAuthorized = "not-authorized"
    case notWellFormed = "not-well-formed"
    case policyViolation = "policy-violation"
    case remoteConnectionFailed = "remote-connection-failed"
    case reset
    case resourceConstraint = "resource-constraint"
    case restrictedXML = "restricted-xml"
    case seeOtherHost = "see-other-host"
    case systemShutdown = "system-shutdown"
    case undefinedCondition = "undefined-condition"
    case unsupportedEncoding = "unsupported-encoding"
    case unsupportedFeature = "unsupported-feature"
    case unsupportedStanzaType = "unsupported-stanza-type"
    case unsupportedVersion = "unsupported-version"

    package var logText: String { rawValue }
}
