package import Base

/// What the owner of an `XMPPStream` has to do, in this order.
package enum StreamAction: Sensitive, Equatable {
    /// Write these bytes. May carry the proof of a password: they go to the connection and nowhere else.
    case send([UInt8])
    /// Begin TLS on the connection now, then call `didStartTLS`. Whatever was written before is to be flushed first.
    case startTLS
    /// The server knows us and has proved to know the password, too (SCRAM).
    case authenticated(AuthenticationSummary)
    /// The stream can carry stanzas.
    case ready(StreamReady)
    /// A stanza came. Call `didHandle` once what it brought is durable.
    case stanza(Stanza, InboundMark)
    /// A stanza came that is none (an address that is no JID, an IQ without id): nothing to do but to count it with
    /// `didHandle`, in its turn.
    case unusable(InboundMark)
    /// The server took the stanzas sent under these tags (XEP-0198), in order of sending.
    case acknowledged([StanzaTag])
    /// The stream is over: write what was to be sent before, then close the connection. Nothing comes after.
    case ended(StreamFailure?)
}

/// How we signed in; class S0.
package struct AuthenticationSummary: Sendable, Equatable {
    /// For instance `SCRAM-SHA-256-PLUS`.
    package let mechanism: String
    /// `tls-exporter`, `tls-server-end-point`, or nil for none.
    package let binding: ChannelBindingType?
    /// Whether the server's list of mechanisms was itself protected (XEP-0474).
    package let isDowngradeProtected: Bool

    package init(mechanism: String, binding: ChannelBindingType?, isDowngradeProtected: Bool) {
        self.mechanism = mechanism
        self.binding = binding
        self.isDowngradeProtected = isDowngradeProtected
    }
}

/// What was negotiated when stanzas can flow.
package struct StreamReady: Sensitive, Equatable {
    /// The full address of this stream.
    package let address: JID
    /// Whether an earlier stream goes on (XEP-0198): roster, carbons and presence are as they were, and what the
    /// server had not taken has been sent again.
    package let isResumed: Bool
    /// Whether stream management is on, and can be resumed.
    package let isManaged: Bool
    package let isResumable: Bool
    /// Whether the server keeps versions of the roster (RFC 6121, section 2.6).
    package let hasRosterVersions: Bool

    package init(address: JID, isResumed: Bool, isManaged: Bool, isResumable: Bool, hasRosterVersions: Bool) {
        self.address = address
        self.isResumed = isResumed
        self.isManaged = isManaged
        self.isResumable = isResumable
        self.hasRosterVersions = hasRosterVersions
    }
}

/// A number of the caller's for a stanza it sends, given back when the server took it. One that an earlier stream was
/// given and that does not come back before `ready`, on a stream that is not resumed, never will.
package struct StanzaTag: Sendable, Hashable {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
}

/// The place of a stanza among those that came in. Marks of an earlier stream are told apart and ignored.
package struct InboundMark: Sendable, Hashable {
    let stream: UInt32
    let number: UInt64
    init(stream: UInt32, number: UInt64) {
        self.stream = stream
        self.number = number
    }
}
