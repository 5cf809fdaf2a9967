package import Base
package import Domain

/// What a link needs to sign in. Made anew for each attempt from the store, never kept.
package struct LinkAccount: Sendable {
    package let settings: ProfileSettings
    package let resource: String
    package let password: SharedSecret
    package let rosterVersion: String?
    package init(settings: ProfileSettings, resource: String, password: SharedSecret, rosterVersion: String?) {
        self.settings = settings
        self.resource = resource
        self.password = password
        self.rosterVersion = rosterVersion
    }
}

/// What was negotiated; class S0.
package struct LinkSummary: Sendable, Equatable {
    /// For instance `TLSv1.3`.
    package let tls: String
    /// For instance `SCRAM-SHA-256-PLUS`.
    package let mechanism: String
    /// `tls-exporter`, `tls-server-end-point`, or nil for none.
    package let binding: String?
    /// Whether the earlier stream was resumed (XEP-0198): then nothing was lost and the link resends by itself.
    package let isResumed: Bool
    /// Whether the account has an archive (XEP-0313).
    package let hasArchive: Bool
    package init(tls: String, mechanism: String, binding: String?, isResumed: Bool, hasArchive: Bool) {
        self.tls = tls
        self.mechanism = mechanism
        self.binding = binding
        self.isResumed = isResumed
        self.hasArchive = hasArchive
    }
}

/// A message on its way out. The same value gives the same bytes on the wire, each time.
package struct OutgoingStanza: Sensitive, Equatable {
    package let id: MessageID
    package let to: JID
    package let envelope: Envelope
    package init(id: MessageID, to: JID, envelope: Envelope) {
        self.id = id
        self.to = to
        self.envelope = envelope
    }
}

/// Small things sent without an outbox: their loss costs nothing that is not repaired later.
package enum Courtesy: Sensitive, Equatable {
    /// XEP-0184, to the full or bare address the message came from.
    case receipt(for: String, to: JID)
    /// XEP-0333.
    case displayed(id: String, to: JID)
    case acceptSubscription(JID)
}

/// One entry of an archive, under the archive's id.
package struct ArchiveItem: Sensitive, Equatable {
    package let id: String
    package let message: InboundMessage?
    package init(id: String, message: InboundMessage?) {
        self.id = id
        self.message = message
    }
}

/// A page of an archive, oldest first. A stanza that is no message for us keeps its id and has no `message`.
package struct ArchivePage: Sensitive, Equatable {
    package let items: [ArchiveItem]
    /// The server's `<first>` and `<last>`; nil on an empty page.
    package let first: String?
    package let last: String?
    package let isComplete: Bool
    package init(items: [ArchiveItem], first: String?, last: String?, isComplete: Bool) {
        self.items = items
        self.first = first
        self.last = last
        self.isComplete = isComplete
    }
}

/// Takes what a link receives. The link reads on only when `receive` has returned: that is its back-pressure and, for
/// stream management, its acknowledgement (invariant 11).
package protocol LinkSink: Sendable {
    /// What arrived, in order, at most 256 events. Returns when it is durable; a throw ends the stream unacknowledged.
    func receive(_ events: [InboundEvent]) async throws(Failure)
    /// The stream ended, by itself (`nil` after `disconnect`).
    func linkDidEnd(_ failure: Failure?) async
}

/// One account's connection. At most one stream at a time; it may be connected again after it ended, and then tries to
/// resume (XEP-0198) as long as this value lives.
package protocol LinkPort: Sendable {
    /// Resolves, connects, secures, signs in, binds or resumes, asks for roster and carbons, sends presence.
    /// Everything received from then on goes to `sink`. Throws `net.*`, `tls.*`, `auth.*`, `stream.*`, `server.*`.
    func connect(_ account: LinkAccount, sink: any LinkSink) async throws(Failure) -> LinkSummary

    /// Writes messages to the stream, in order. Returns when they are handed over; whether the server took them is told
    /// by `InboundEvent.acknowledged`; of what a stream leaves open, nothing is told once one is there that does not
    /// resume it. Throws `net.offline` where there is no stream: then none was handed over.
    func submit(_ stanzas: [OutgoingStanza]) async throws(Failure)
    func send(_ courtesies: [Courtesy]) async

    /// Asks for one page; one request at a time an archive; 20 s limit. Throws `server.timeout`, `server.refused`
    /// (`item-not-found`: the cursor has expired), `stream.tooLarge`.
    func archivePage(_ query: ArchiveQuery) async throws(Failure) -> ArchivePage

    /// Adds to the roster and asks to see them; answers when the server has taken the roster item.
    func addContact(_ jid: JID) async throws(Failure)

    /// Ends the stream in order, within 2 seconds. Idempotent.
    func disconnect() async
}

/// Makes a profile's link.
package typealias LinkFactory = @Sendable (ProfileID) -> any LinkPort
