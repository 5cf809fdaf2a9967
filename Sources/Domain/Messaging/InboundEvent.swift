package import Base

/// How a message reached us.
package enum InboundRoute: Sendable, Equatable {
    case live
    /// Another own device received it (XEP-0280).
    case carbonReceived
    /// Another own device sent it.
    case carbonSent
    /// Read from an archive under this id.
    case archive(ArchiveName, id: String)
}

/// A message stanza as the link understood it, before decryption. Every text is bounded by the parser.
package struct InboundMessage: Sensitive, Equatable {
    package var route: InboundRoute
    /// Full or bare address of the author, checked against the route's rules.
    package var from: JID
    package var to: JID
    /// The stanza's `id`.
    package var id: String?
    /// XEP-0359 origin-id.
    package var originID: String?
    /// XEP-0359 stanza-id given by our own account's archive, or by the room; others are dropped.
    package var archiveID: String?
    /// When it was first sent (XEP-0203 or the archive's stamp), nil for now.
    package var stamp: Timestamp?
    package var body: String?
    /// Encrypted payload for a `ProtocolEngine`, nil for a plain one.
    package var envelope: Envelope?
    /// Whether the author asks for a receipt (XEP-0184).
    package var asksReceipt: Bool
    /// Whether the author would like to know when it was seen (`markable`, XEP-0333).
    package var asksMarker: Bool
    /// The id this stanza confirms (XEP-0184).
    package var receiptFor: String?
    /// The id up to which the author has seen the conversation (XEP-0333).
    package var displayedUpTo: String?
    /// A stanza error answering one of ours (type `error`): its code, and whether a retry may help.
    package var failure: SendFailure?

    package init(route: InboundRoute, from: JID, to: JID) {
        self.route = route
        self.from = from
        self.to = to
        asksReceipt = false
        asksMarker = false
    }
}

/// Why a server or peer refused a stanza.
package struct SendFailure: Sendable, Equatable {
    package let code: ErrorCode
    /// A permanent one is not retried (RFC 6120, section 8.3.2: types `cancel`, `modify`, `auth`).
    package let isPermanent: Bool
    package init(code: ErrorCode, isPermanent: Bool) {
        self.code = code
        self.isPermanent = isPermanent
    }
}

/// What arrives on a link, in order.
package enum InboundEvent: Sensitive, Equatable {
    case message(InboundMessage)
    /// The whole roster, or nothing changed (nil) since `version`.
    case roster([RosterItem]?, version: String?)
    /// A roster push whose sender was checked; nil subscription means removed.
    case rosterPush(RosterItem, removed: Bool, version: String?)
    /// A stream can be used. Unless it goes on where the one before ended (XEP-0198), what was known of presences is
    /// void: the server tells them anew. A stream that goes on is told changes only.
    case streamDidBegin(isResumed: Bool)
    case presence(JID, Presence)
    /// The server took these (XEP-0198 acknowledgement, or an answered ping sent after them).
    case acknowledged([MessageID])
    /// Somebody asks to see us.
    case subscriptionRequest(JID)
}
