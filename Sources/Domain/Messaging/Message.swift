package import Base

/// Whether a message was written by somebody else or by us, on whatever device.
package enum Direction: String, Sendable { case incoming = "in", outgoing = "out" }

/// How a message was protected on its way.
package enum Security: String, Sendable { case omemo2, omemo, plaintext, undecryptable }

/// The text of a message (S2): 1 byte to 64 KiB of UTF-8.
package struct MessageBody: Sensitive, Hashable {
    package static let limit = 64 * 1024
    package let text: String

    /// Throws `message.empty` for nothing but white space, `message.tooLarge` above the limit.
    package init(_ text: String) throws(Failure) {
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else { throw Failure(.messageEmpty) }
        guard text.utf8.count <= Self.limit else { throw Failure(.messageTooLarge) }
        self.text = text
    }
}

/// How far an outgoing message has come. It only grows; `failed` stays until a person retries.
package enum Delivery: Sendable, Hashable {
    /// On this disk, not known to be on the server.
    case queued
    /// The server took it.
    case sent
    /// A device of the recipient has it.
    case delivered
    /// The recipient has seen it.
    case read
    case failed(ErrorCode)

    /// What holds after learning `news`.
    package func merged(with news: Delivery) -> Delivery {
        switch (self, news) {
        case (.failed, _): self
        // The own server may take what the recipient's then refuses.
        case (.queued, .failed), (.sent, .failed): news
        case (_, .failed): self
        default: rank >= news.rank ? self : news
        }
    }

    private var rank: Int {
        switch self {
        case .queued: 0
        case .sent: 1
        case .delivered: 2
        case .read: 3
        case .failed: 4
        }
    }
}

/// A message as it is stored and shown.
package struct Message: Sensitive, Equatable {
    package let id: MessageID
    /// The bare address of the conversation.
    package let chat: JID
    /// The bare address of the author.
    package let from: JID
    package let direction: Direction
    /// nil for an undecryptable one.
    package let body: MessageBody?
    package let at: Timestamp
    /// nil for incoming ones.
    package let delivery: Delivery?
    package let security: Security

    package init(
        id: MessageID, chat: JID, from: JID, direction: Direction, body: MessageBody?, at: Timestamp,
        delivery: Delivery?, security: Security
    ) {
        self.id = id
        self.chat = chat
        self.from = from
        self.direction = direction
        self.body = body
        self.at = at
        self.delivery = delivery
        self.security = security
    }
}

/// A line of the chat list.
package struct ChatSummary: Sensitive, Equatable {
    package let jid: JID
    /// The roster's name for it.
    package let name: String?
    package let unread: Int
    package let last: Message?

    package init(jid: JID, name: String?, unread: Int, last: Message?) {
        self.jid = jid
        self.name = name
        self.unread = unread
        self.last = last
    }
}
