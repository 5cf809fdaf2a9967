package import Base
package import Domain

/// What an outgoing message says before it is sealed.
package struct OutgoingContent: Sensitive {
    package let id: MessageID
    package let to: JID
    package let body: MessageBody
    package init(id: MessageID, to: JID, body: MessageBody) {
        self.id = id
        self.to = to
        self.body = body
    }
}

/// What an envelope held.
package struct OpenedContent: Sensitive, Equatable {
    /// nil for an envelope that carries no text (a key transport).
    package let body: MessageBody?
    package let security: Security
    package init(body: MessageBody?, security: Security) {
        self.body = body
        self.security = security
    }
}

/// Seals and opens messages: the only place where content meets cryptography (invariant 7).
///
/// Both calls are synchronous and run inside the transaction that stores their result, so that a ratchet step and its
/// message commit together. An engine never falls back to a weaker one and refuses versions it does not know.
package protocol ProtocolEngine: Sendable {
    /// Name and version, for instance `plaintext/1`, as stored with each envelope.
    var name: String { get }
    func seal(_ content: OutgoingContent, in transaction: any StoreTransaction) throws(Failure) -> Envelope
    func open(_ envelope: Envelope, from: JID, in transaction: any StoreTransaction) throws(Failure) -> OpenedContent
}
