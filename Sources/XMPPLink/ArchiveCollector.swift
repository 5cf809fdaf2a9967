import Application
import Base
import Domain
import XMPP

/// One page of an archive while it comes in (XEP-0313).
struct ArchiveCollector {
    /// Whose archive: nil for our own account's.
    let address: JID?
    private let query: ArchiveQuery
    private let account: JID
    private var items: [ArchiveItem] = []
    private var hasOverflowed = false

    /// nil for an archive that has no address to ask.
    init?(_ query: ArchiveQuery, account: JID) {
        self.query = query
        self.account = account
        address =
            switch query.archive {
            case .account: nil
            case .room(let room): room
            }
    }

    func request(_ id: String) -> Element {
        let position: ResultSet.Request.Position
        var filter = MessageArchive.Filter()
        switch query.direction {
        case .last: position = .last
        case .after(let id): position = .after(id)
        case .before(let id): position = .before(id)
        case .since(let start):
            position = .first
            filter = MessageArchive.Filter(start: start)
        case .sinceAfter(let start, let id):
            position = .after(id)
            filter = MessageArchive.Filter(start: start)
        }
        return MessageArchive.query(id, filter, page: ResultSet.Request(max: query.limit, position: position))
    }

    /// Takes a result. The server may not send more of them than were asked for.
    mutating func add(_ result: MessageArchive.Result) {
        guard items.count < query.limit else {
            hasOverflowed = true
            return
        }
        let message = result.forwarded.flatMap { forwarded in
            StanzaTranslation.message(
                forwarded.message, .archive(query.archive, id: result.id), stamp: forwarded.stamp, account: account)
        }
        items.append(ArchiveItem(id: result.id, message: message))
    }

    /// The page, when the answer to the request has come. Throws `server.refused` for an answer that is none,
    /// `stream.tooLarge` for too many results.
    func page(_ answer: Element?) throws(Failure) -> ArchivePage {
        guard !hasOverflowed else { throw Failure(.streamTooLarge) }
        guard let fin = MessageArchive.Fin(answer) else { throw Failure(.serverRefused) }
        return ArchivePage(
            items: items, first: fin.page?.first, last: fin.page?.last, isComplete: fin.isComplete)
    }
}

extension XMPPLink {
    /// A stanza came.
    func didReceive(_ stanza: Stanza, _ mark: InboundMark, _ open: OpenStream) {
        switch router?.route(stanza) {
        case .message(let message)?: didReceive(message, mark, open)
        case .presence(let presence)?: add(StanzaTranslation.event(for: presence), mark, open)
        case .answer(let token, let outcome)?:
            didReceive(outcome, to: token, open)
            open.pump.add(mark)
        case .reply(let iq)?:
            open.pump.add(mark)
            perform(stream?.send(iq.element) ?? [], open)
        case .push(.roster(let push), let reply)?:
            let event = InboundEvent.rosterPush(
                RosterItem(push.entry), removed: push.entry.subscription == .remove, version: push.version)
            open.pump.add(event, mark, reply: reply.element)
        case .ignored?, nil: open.pump.add(mark)
        }
    }

    private func didReceive(_ message: MessageStanza, _ mark: InboundMark, _ open: OpenStream) {
        guard MessageArchive.isResult(message) else {
            return add(StanzaTranslation.event(for: message, account: open.account), mark, open)
        }
        open.pump.add(mark)
        let query = message.element.child("result", MessageArchive.namespace)?["queryid"] ?? ""
        guard let archive = archives[query],
            let result = MessageArchive.Result(
                in: message, archive: archive.address ?? open.account, account: open.account)
        else { return }
        archives[query]?.add(result)
    }

    private func add(_ event: InboundEvent?, _ mark: InboundMark, _ open: OpenStream) {
        if let event { open.pump.add(event, mark) } else { open.pump.add(mark) }
    }
}
