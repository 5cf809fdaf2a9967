import Base
import Domain

/// What a committed batch asks to be done afterwards.
struct InboundEffects: Sendable {
    var courtesies: [Courtesy] = []
    /// Items of the outbox of which there is news.
    var settled: [MessageID] = []
    var presences: [(JID, Presence)] = []
    var requests: [JID] = []
    var didChangeRoster = false
    /// Chats that got a new message.
    var chats: Set<JID> = []

    mutating func merge(_ other: InboundEffects) {
        courtesies += other.courtesies
        settled += other.settled
        presences += other.presences
        requests += other.requests
        didChangeRoster = didChangeRoster || other.didChangeRoster
        chats.formUnion(other.chats)
    }
}

/// Which new messages of a batch are news to a person, and which are history that was fetched.
enum News: Sendable, Equatable {
    case all
    case none
    /// Sent since then, or brought live as well, under one of these archive ids.
    case since(Timestamp, orIDs: Set<String>)

    func includes(_ message: InboundMessage) -> Bool {
        switch self {
        case .all: true
        case .none: false
        case .since(let moment, let ids):
            message.stamp.map { $0 >= moment } ?? false || message.archivedAs.map(ids.contains) ?? false
        }
    }
}

extension InboundMessage {
    fileprivate var archivedAs: String? {
        switch route {
        case .archive(_, let id): id
        case .live, .carbonReceived, .carbonSent: archiveID
        }
    }
}

/// Writes what arrived into a transaction: identify, open, deduplicate, merge. One value a transaction.
struct InboundApplication {
    let account: JID
    let engine: any ProtocolEngine
    let now: Timestamp
    let jitter: Jitter
    /// Where new messages of this batch stand in their chats.
    let placement: Placement
    let news: News
    /// Where to write down what is no news.
    let quiet: QuietMessages
    let transaction: any StoreTransaction
    private(set) var effects = InboundEffects()

    init(
        account: JID, engine: any ProtocolEngine, now: Timestamp, jitter: Jitter, placement: Placement, news: News,
        quiet: QuietMessages,
        transaction: any StoreTransaction
    ) {
        self.account = account
        self.engine = engine
        self.now = now
        self.jitter = jitter
        self.placement = placement
        self.news = news
        self.quiet = quiet
        self.transaction = transaction
    }

    mutating func apply(_ event: InboundEvent) throws(Failure) {
        switch event {
        case .message(let message): try apply(message)
        case .roster(let items, let version):
            guard let items else { return }
            try transaction.replaceRoster(items, version: version)
            effects.didChangeRoster = true
        case .rosterPush(let item, let isRemoved, let version):
            if isRemoved {
                try transaction.removeFromRoster(item.jid, version: version)
            } else {
                try transaction.upsertRoster(item, version: version)
            }
            effects.didChangeRoster = true
        // For the inbox itself: nothing of it is stored.
        case .streamDidBegin: break
        case .presence(let jid, let presence): effects.presences.append((jid, presence))
        case .acknowledged(let ids): try accept(ids)
        case .subscriptionRequest(let jid): effects.requests.append(jid.bare)
        }
    }

    mutating func apply(_ message: InboundMessage) throws(Failure) {
        guard let place = Place(message, account: account) else { return }
        if let failure = message.failure {
            try refuse(message, place, failure)
            return
        }
        if let text = message.receiptFor, place.direction == .incoming {
            try advance(text, place.chat, .didReceiveReceipt, .delivered)
        }
        if let text = message.displayedUpTo { try displayed(text, message, place) }
        try storeContent(message, place)
    }
}

/// Which conversation a message belongs to, and who wrote it.
private struct Place {
    let chat: JID
    let direction: Direction
    let archive: ArchiveName
    let archiveID: String?

    /// nil where the addresses do not fit the route, so that nobody writes into somebody else's conversation.
    init?(_ message: InboundMessage, account: JID) {
        let isOwn = message.from.bare == account
        let isToUs = message.to.bare == account
        switch message.route {
        case .carbonSent where !isOwn: return nil
        case .carbonReceived where !isToUs, .live where !isToUs: return nil
        case .archive(.account, _) where !isOwn && !isToUs: return nil
        case .carbonSent, .carbonReceived, .live, .archive: break
        }
        direction = isOwn ? .outgoing : .incoming
        chat = isOwn ? message.to.bare : message.from.bare
        switch message.route {
        case .archive(let name, let id):
            archive = name
            archiveID = id
        case .live, .carbonSent, .carbonReceived:
            archive = .account
            archiveID = message.archiveID
        }
    }
}

extension InboundApplication {
    private mutating func accept(_ ids: [MessageID]) throws(Failure) {
        for id in ids {
            guard let item = try transaction.outboxItem(id) else { continue }
            var machine = OutboxMachine(resuming: item)
            _ = try carryOut(
                machine.handle(.didReceiveAcknowledgement), of: machine.item, account: account, in: transaction)
        }
        effects.settled += ids
    }

    /// A stanza error of the recipient's side, or of our own server on the recipient's behalf: it comes from the address
    /// we wrote to (RFC 6120, section 8.3.1).
    private mutating func refuse(
        _ message: InboundMessage, _ place: Place, _ failure: SendFailure
    ) throws(Failure) {
        guard message.route == .live, let id = message.id.flatMap(MessageID.init(text:)) else { return }
        if let item = try transaction.outboxItem(id) {
            guard item.chat == place.chat else { return }
            var machine = OutboxMachine(resuming: item)
            let actions = machine.handle(.didReceiveError(failure, at: now, jitter: jitter))
            _ = try carryOut(actions, of: machine.item, account: account, in: transaction)
            effects.settled.append(id)
        } else {
            _ = try transaction.advance(id, in: place.chat, to: .failed(failure.code))
        }
    }

    private mutating func advance(
        _ text: String, _ chat: JID, _ input: OutboxMachine.Input, _ delivery: Delivery
    ) throws(Failure) {
        guard let id = MessageID(text: text) else { return }
        if let item = try transaction.outboxItem(id), item.chat == chat {
            var machine = OutboxMachine(resuming: item)
            let actions = machine.handle(input)
            _ = try carryOut(actions, of: machine.item, account: account, in: transaction)
            if !actions.isEmpty { effects.settled.append(id) }
        } else if try !transaction.advance(id, in: chat, to: delivery) {
            try transaction.keepEarly(delivery, for: text, in: chat)
        }
    }

    private mutating func displayed(_ text: String, _ message: InboundMessage, _ place: Place) throws(Failure) {
        switch place.direction {
        case .outgoing:
            // Another device of ours has shown it; what an archive says of that is older than what is here.
            if message.route == .carbonSent { try transaction.markRead(place.chat) }
        case .incoming:
            try advance(text, place.chat, .didReceiveDisplayed, .read)
            if let id = MessageID(text: text) { _ = try transaction.advanceAll(upTo: id, in: place.chat, to: .read) }
        }
    }

    private mutating func storeContent(_ message: InboundMessage, _ place: Place) throws(Failure) {
        guard let content = try content(of: message) else { return }
        let isNews = news.includes(message)
        let outcome = try transaction.store(
            NewMessage(
                chat: place.chat, from: message.from.bare, direction: place.direction, body: content.body,
                at: stamp(of: message), security: content.security, id: message.id, originID: message.originID,
                archiveID: place.archiveID, archive: place.archive,
                countsAsUnread: isNews && place.direction == .incoming, asksMarker: message.asksMarker,
                placement: placement))
        switch outcome {
        case .inserted(let id):
            effects.chats.insert(place.chat)
            if !isNews { quiet.note(id) }
        case .duplicate, .suppressed: break
        }
        switch place.direction {
        case .outgoing: try settleOwn(message, place)
        case .incoming: try answer(message, place, outcome)
        }
    }

    /// nil where there is nothing to show: a receipt, a marker, a key transport.
    private func content(of message: InboundMessage) throws(Failure) -> OpenedContent? {
        if let envelope = message.envelope {
            do {
                let opened = try engine.open(envelope, from: message.from, in: transaction)
                return opened.body == nil && opened.security != .undecryptable ? nil : opened
            } catch {
                // A failing disk is no property of the message: the stream ends and it comes again.
                if Self.concernsStorage(error.code) { throw error }
                return OpenedContent(body: nil, security: .undecryptable)
            }
        }
        guard let text = message.body else { return nil }
        do {
            return OpenedContent(body: try MessageBody(text), security: .plaintext)
        } catch {
            // Too large stays visible as something that cannot be shown; nothing but white space is no message.
            return error.code == .messageTooLarge ? OpenedContent(body: nil, security: .undecryptable) : nil
        }
    }

    private static func concernsStorage(_ code: ErrorCode) -> Bool {
        switch code {
        case .storageFull, .storageDiskFull, .storageReadOnly, .storageDamaged, .storageVersion, .storageFailed: true
        default: false
        }
    }

    /// A stamp is somebody else's clock: one in the future is now.
    private func stamp(of message: InboundMessage) -> Timestamp { min(message.stamp ?? now, now) }

    /// Our own message, seen by a carbon or in the archive: the server has it.
    private mutating func settleOwn(_ message: InboundMessage, _ place: Place) throws(Failure) {
        for text in [message.originID, message.id] {
            guard let id = text.flatMap(MessageID.init(text:)), let item = try transaction.outboxItem(id),
                item.chat == place.chat
            else { continue }
            var machine = OutboxMachine(resuming: item)
            let actions = machine.handle(.didFindInArchive)
            _ = try carryOut(actions, of: machine.item, account: account, in: transaction)
            if !actions.isEmpty { effects.settled.append(id) }
            return
        }
    }

    /// Receipts go out for what came directly, and only to people who may know that we are here (XEP-0184, section 8).
    private mutating func answer(
        _ message: InboundMessage, _ place: Place, _ outcome: StoreOutcome
    ) throws(Failure) {
        guard message.asksReceipt, message.route == .live, outcome != .suppressed, let id = message.id,
            try isKnown(place.chat)
        else { return }
        effects.courtesies.append(.receipt(for: id, to: message.from))
    }

    private func isKnown(_ chat: JID) throws(Failure) -> Bool {
        if try transaction.rosterItem(chat) != nil { return true }
        return try transaction.hasOutgoing(in: chat)
    }
}
