package import Base

/// Where an outgoing message stands (Docs/ARCHITECTURE.md). `accepted` and `terminalFailure` leave the outbox.
package enum OutboxState: Sendable, Equatable {
    /// Stored, not yet encrypted.
    case preparing
    /// Its envelope is stored and is what will be sent, now or at any retry.
    case ready
    /// Handed to the server at `since`; the answer is unknown.
    case submitting(since: Timestamp)
    case retryScheduled(at: Timestamp)
    case blockedByIdentityChange
}

/// The sealed content of a message: a fragment of stanza payload made once by a `ProtocolEngine`, opaque to others.
package struct Envelope: Sensitive, Equatable {
    /// Which engine made it, for instance `plaintext/1`; an unknown one is refused.
    package let engine: String
    /// UTF-8 XML of the stanza's children.
    package let payload: [UInt8]
    package let security: Security
    package init(engine: String, payload: [UInt8], security: Security) {
        self.engine = engine
        self.payload = payload
        self.security = security
    }
}

/// An outgoing message that the server has not taken yet.
package struct OutboxItem: Sensitive, Equatable {
    package let id: MessageID
    package let chat: JID
    /// Grows by one a message within the profile; the order of sending inside a conversation.
    package let sequence: Int64
    package var state: OutboxState
    package var attempts: Int
    /// nil while `preparing`.
    package var envelope: Envelope?
    /// Whether it was ever handed to a server: then it must never be encrypted anew.
    package var wasSubmitted: Bool

    package init(
        id: MessageID, chat: JID, sequence: Int64, state: OutboxState, attempts: Int, envelope: Envelope?,
        wasSubmitted: Bool
    ) {
        self.id = id
        self.chat = chat
        self.sequence = sequence
        self.state = state
        self.attempts = attempts
        self.envelope = envelope
        self.wasSubmitted = wasSubmitted
    }
}
