import Base
import CommandLine
import Domain
import Terminal

/// The list on the left: an avatar, the name and the time above, a preview and the unread count below.
struct ChatListRender {
    /// Screen rows of one chat.
    static let rowsEach = 2

    let list: ChatListState
    let openChat: JID?
    let days: DayNames

    func draw(on surface: inout Surface, _ layout: SessionLayout) {
        let area = layout.list
        guard area.columns > 4 else { return }
        surface.put(Texts.chats, at: Point(column: area.left + 1, row: area.top), Theme.heading, in: area)
        if list.unread > 0 { badge(list.unread, on: &surface, row: area.top, in: area) }
        surface.rule(Rect(column: area.left, row: area.top + 1, columns: area.columns, rows: 1))
        let rows = layout.listRows
        switch list.phase {
        case .loading where list.rows.isEmpty:
            surface.put(Texts.loading, at: Point(column: rows.left + 1, row: rows.top), Theme.secondary, in: rows)
        case .failed(let failure):
            let inner = rows.inset(columns: 1)
            let next = surface.paragraph(failure.shown, row: rows.top, in: inner, Theme.error)
            surface.put(Texts.retryHint, at: Point(column: inner.left, row: next), Theme.secondary, in: inner)
        case .loading, .loaded:
            if list.rows.isEmpty {
                for (offset, line) in Texts.noChats.enumerated() {
                    let place = Point(column: rows.left + 1, row: rows.top + offset)
                    surface.put(line, at: place, Theme.secondary, in: rows)
                }
            }
            for (offset, row) in list.rows.dropFirst(list.scroll).enumerated() {
                let top = rows.top + offset * ChatListRender.rowsEach
                guard top < rows.bottom else { break }
                draw(row, on: &surface, top, rows)
            }
        }
    }

    private func draw(_ row: ChatListState.Row, on surface: inout Surface, _ top: Int, _ area: Rect) {
        let isOpen = row.jid == openChat
        let block = Rect(column: area.left, row: top, columns: area.columns, rows: ChatListRender.rowsEach)
            .intersection(area)
        if isOpen { surface.fill(block, Theme.selected) }
        let (name, secondary) =
            isOpen
            ? (Theme.selectedHeading, Theme.selectedSecondary) : (Theme.heading, Theme.secondary)
        let address = row.jid.addressText
        surface.put(
            Initials.of(name: row.name, jid: row.jid), at: Point(column: area.left + 1, row: top),
            Theme.avatar(address), in: block)
        if row.presence != .offline {
            let dot = isOpen ? Theme.selected : row.presence.style
            surface.put("●", at: Point(column: area.left + 2, row: top + 1), dot, in: block)
        }
        let text = Rect(column: area.left + 6, row: top, columns: area.columns - 7, rows: 2).intersection(block)
        let upper = Rect(column: text.left, row: top, columns: text.columns, rows: 1)
        var room = text.columns
        if let last = row.last {
            room = surface.putRight(SafeText(days.short(last.at)), row: top, in: upper, secondary) - text.left - 1
        }
        let title = SafeText(row.name ?? address, limit: 256)
        surface.put(TextLayout.truncate(title, to: room), at: upper.origin, name, in: upper)
        let lower = Rect(column: text.left, row: top + 1, columns: text.columns, rows: 1).intersection(block)
        guard !lower.isEmpty else { return }
        room = lower.columns
        if row.unread > 0 {
            room = badge(row.unread, on: &surface, row: lower.top, in: block) - lower.left - 1
        }
        var column = lower.left
        if let last = row.last, last.direction == .outgoing, let delivery = last.delivery {
            let mark = DeliveryMark(delivery)
            let style = isOpen ? Theme.selectedSecondary : mark.style
            column = surface.put(mark.sign + " ", at: lower.origin, style, in: lower)
        }
        let preview = TextLayout.truncate(self.preview(row), to: room - (column - lower.left))
        surface.put(preview, at: Point(column: column, row: lower.top), secondary, in: lower)
    }

    private func preview(_ row: ChatListState.Row) -> SafeText {
        guard let last = row.last else { return SafeText(row.jid.addressText, limit: 256) }
        return last.body.map { SafeText($0.text, limit: 256) } ?? Texts.undecryptable
    }

    /// - Returns: its first column.
    @discardableResult
    private func badge(_ unread: Int, on surface: inout Surface, row: Int, in area: Rect) -> Int {
        let text = SafeText(" \(min(unread, 99)) ")
        let column = area.right - 1 - text.width
        surface.put(text, at: Point(column: column, row: row), Theme.badge, in: area)
        return column
    }
}

/// Two letters for somebody without a picture.
enum Initials {
    /// Four cells: the letters with a blank on either side.
    static func of(name: String?, jid: JID) -> SafeText {
        let words = (name ?? jid.local ?? jid.domain).split { !$0.isLetter && !$0.isNumber }
        var letters = ""
        if words.count > 1 {
            letters = words.prefix(2).compactMap { $0.first.map { String($0).uppercased() } }.joined()
        } else if let word = words.first {
            letters = String(word.prefix(2)).uppercased()
        }
        let cut = TextLayout.clip(SafeText(letters, limit: 8), from: 0, to: 2)
        return " " + cut + SafeText(String(repeating: " ", count: 3 - cut.width))
    }
}

extension Presence {
    /// The colour of its dot.
    var style: Style {
        switch self {
        case .online, .chatty: Theme.success
        case .away, .extendedAway: Theme.warning
        case .busy: Theme.error
        case .offline: Theme.secondary
        }
    }

    var word: SafeText {
        switch self {
        case .online, .chatty: Texts.online
        case .away: "away"
        case .extendedAway: "away for long"
        case .busy: "busy"
        case .offline: Texts.offline
        }
    }
}

/// How far an outgoing message has come, as a sign and a word.
struct DeliveryMark {
    let sign: SafeText
    let word: SafeText
    let style: Style
    /// On the colour of an outgoing message.
    let bubbleStyle: Style

    init(_ delivery: Delivery) {
        switch delivery {
        case .queued: (sign, word, style, bubbleStyle) = ("○", "waiting", Theme.secondary, Theme.outgoingMeta)
        case .sent: (sign, word, style, bubbleStyle) = ("✓", "sent", Theme.secondary, Theme.outgoingMeta)
        case .delivered: (sign, word, style, bubbleStyle) = ("✓✓", "delivered", Theme.secondary, Theme.outgoingMeta)
        case .read: (sign, word, style, bubbleStyle) = ("✓✓", "read", Theme.accent, Theme.outgoingRead)
        case .failed: (sign, word, style, bubbleStyle) = ("!", "not sent", Theme.error, Theme.outgoingError)
        }
    }
}
