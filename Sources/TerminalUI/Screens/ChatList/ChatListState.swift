import Application
import Base
import Domain

/// How far something read from the store has come.
enum Phase: Sendable, Equatable {
    case loading
    case loaded
    case failed(Failure)
}

/// The list on the left: chats, newest first, then contacts without one.
struct ChatListState: Sendable, Equatable {
    struct Row: Sendable, Equatable {
        let jid: JID
        let name: String?
        let unread: Int
        let last: Message?
        let presence: Presence
    }

    private(set) var rows: [Row] = []
    private(set) var phase = Phase.loading
    /// Rows above the first one that shows.
    var scroll = 0
    private var chats: [ChatSummary] = []
    private var contacts: [Contact] = []

    var unread: Int { rows.reduce(0) { $0 + $1.unread } }

    func row(of jid: JID) -> Row? { rows.first { $0.jid == jid } }

    mutating func take(chats result: Result<[ChatSummary], Failure>) {
        switch result {
        case .success(let chats):
            self.chats = chats
            phase = .loaded
        case .failure(let failure):
            // Without an account there is nothing to list, which is no error.
            chats = []
            phase = failure.code == .profileNone ? .loaded : .failed(failure)
        }
        arrange()
    }

    mutating func take(contacts result: Result<[Contact], Failure>) {
        if case .success(let contacts) = result { self.contacts = contacts } else { contacts = [] }
        arrange()
    }

    /// Another account is opened: nothing of the old one stays.
    mutating func clear() { self = ChatListState() }

    private mutating func arrange() {
        let known = Dictionary(contacts.map { ($0.item.jid, $0) }) { first, _ in first }
        let listed = Set(chats.map(\.jid))
        rows = chats.map { chat in
            Row(
                jid: chat.jid, name: chat.name ?? known[chat.jid]?.item.name, unread: chat.unread, last: chat.last,
                presence: known[chat.jid]?.presence ?? .offline)
        }
        let others = contacts.filter { !listed.contains($0.item.jid) }.sorted { $0.item.jid < $1.item.jid }
        rows += others.map {
            Row(jid: $0.item.jid, name: $0.item.name, unread: 0, last: nil, presence: $0.presence)
        }
        scroll = min(scroll, max(0, rows.count - 1))
    }
}
