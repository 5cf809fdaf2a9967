import Application
import Base
import Domain
import XMPP

/// Gathers a page's items, which come as messages of their own before the answer to the request (XEP-0313, section 4).
struct PageCollector {
    /// Bytes of text a page may bring.
    static let byteLimit = 16 * 1024 * 1024
    /// Messages that are within it whatever their size (`XMLLimits.stanzaBytes`).
    static let smallPage = 16

    let archive: ArchiveName
    let address: JID
    let limit: Int
    private(set) var items: [ArchiveItem] = []
    private(set) var isTooLarge = false
    private var bytes = 0

    init(archive: ArchiveName, address: JID, limit: Int) {
        self.archive = archive
        self.address = address
        self.limit = limit
    }

    mutating func append(_ item: ArchiveItem) {
        bytes += (item.message?.body?.utf8.count ?? 0) + (item.message?.envelope?.payload.count ?? 0)
        // More than was asked for is a server's mistake, not a reason to run out of memory.
        guard items.count < limit, bytes <= Self.byteLimit else {
            isTooLarge = true
            return
        }
        items.append(item)
    }
}

extension XMPPLink {
    /// A page of large messages is asked for again as a small one, which always fits.
    func readPage(_ query: ArchiveQuery, _ session: LinkSession) async throws(Failure) -> ArchivePage {
        do {
            return try await readPage(query, limit: max(1, min(query.limit, 250)), session)
        } catch {
            guard error.code == .streamTooLarge, session.isReady, query.limit > PageCollector.smallPage else {
                throw error
            }
            return try await readPage(query, limit: PageCollector.smallPage, session)
        }
    }

    private func readPage(
        _ query: ArchiveQuery, limit: Int, _ session: LinkSession
    ) async throws(Failure) -> ArchivePage {
        let address: JID =
            switch query.archive {
            case .account: session.ownAddress
            case .room(let room): room.bare
            }
        // Unguessable, so that nobody slips results in.
        let queryID = MessageID(entropy: entropy).text
        session.pages[queryID] = PageCollector(archive: query.archive, address: address, limit: limit)
        defer { session.pages[queryID] = nil }
        let outcome = try await request(
            .set, to: query.archive == .account ? nil : address,
            MessageArchive.query(queryID, Self.filter(query), page: Self.page(query, limit)), session)
        guard case .result(let payload) = outcome, let fin = MessageArchive.Fin(payload),
            let collector = session.pages[queryID]
        else { throw Failure(.serverRefused) }
        guard !collector.isTooLarge else { throw Failure(.streamTooLarge) }
        return ArchivePage(
            items: collector.items, first: fin.page?.first ?? collector.items.first?.id,
            last: fin.page?.last ?? collector.items.last?.id, isComplete: fin.isComplete)
    }

    /// A result of a page. One that nobody asked for, or from somebody else than the archive, is nothing.
    func collect(_ message: MessageStanza, _ session: LinkSession) {
        let queryID = message.element.child("result", MessageArchive.namespace)?["queryid"]
        // Not the collector itself: a second owner would make every addition copy the page.
        guard let queryID, let page = session.pages[queryID].map({ (archive: $0.archive, address: $0.address) }),
            let result = MessageArchive.Result(in: message, archive: page.address, account: session.ownAddress)
        else { return }
        let translation = MessageTranslation(account: session.ownAddress, trustsArchiveIDs: true)
        session.pages[queryID]?.append(
            ArchiveItem(id: result.id, message: translation.archived(result, in: page.archive)))
    }

    private static func filter(_ query: ArchiveQuery) -> MessageArchive.Filter {
        switch query.direction {
        case .last, .after, .before: MessageArchive.Filter()
        case .since(let start), .sinceAfter(let start, _): MessageArchive.Filter(start: start)
        }
    }

    private static func page(_ query: ArchiveQuery, _ limit: Int) -> ResultSet.Request {
        let position: ResultSet.Request.Position =
            switch query.direction {
            case .last: .last
            case .after(let id), .sinceAfter(_, let id): .after(id)
            case .before(let id): .before(id)
            case .since: .first
            }
        return ResultSet.Request(max: limit, position: position)
    }
}
