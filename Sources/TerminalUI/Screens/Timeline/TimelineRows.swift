import Base
import CommandLine
import Domain
import Terminal

/// One screen row of a chat.
struct TimelineRow: Equatable {
    struct Piece: Equatable {
        let text: SafeText
        let style: Style
    }
    /// Columns from the pane's left edge.
    var column = 0
    var pieces: [Piece] = []
    /// In the middle of the pane rather than at `column`.
    var isCentered = false
}

/// Turns messages into rows, from the newest up, no further than asked.
struct TimelineRows {
    let columns: Int
    let days: DayNames

    /// Cells of a message's text at most, and rows of one message that show.
    private static let widest = 72
    private static let rowLimit = 200

    /// The last `limit` rows, oldest first; all of them where there are fewer.
    func rows(of messages: [Message], upTo limit: Int) -> [TimelineRow] {
        var reversed: [TimelineRow] = []
        for index in messages.indices.reversed() {
            guard reversed.count < limit else { break }
            let message = messages[index]
            reversed += block(message).reversed()
            let before = index > messages.startIndex ? messages[index - 1] : nil
            if before.map({ !days.clock($0.at).isSameDay(as: days.clock(message.at)) }) ?? true {
                reversed += [TimelineRow(), separator(message.at), TimelineRow()]
            } else if before?.direction != message.direction {
                reversed.append(TimelineRow())
            }
        }
        return reversed.prefix(limit).reversed()
    }

    /// How many rows there are, counted no further than `limit`.
    static func count(of messages: some Sequence<Message>, columns: Int, upTo limit: Int) -> Int {
        let days = DayNames(now: Timestamp(milliseconds: 0), clock: LocalClocks.system)
        return TimelineRows(columns: columns, days: days).rows(of: Array(messages), upTo: limit).count
    }

    private func separator(_ moment: Timestamp) -> TimelineRow {
        let text = SafeText("── \(days.day(moment)) ──")
        return TimelineRow(pieces: [.init(text: text, style: Theme.secondary)], isCentered: true)
    }

    private func block(_ message: Message) -> [TimelineRow] {
        let isOutgoing = message.direction == .outgoing
        let widest = max(8, min(TimelineRows.widest, columns - (columns > 40 ? 14 : 6)))
        let body = message.body.map { SafeText($0.text, lines: .many, limit: 8_000) } ?? Texts.undecryptable
        var lines = TextLayout.wrap(body, columns: widest)
        if lines.count > TimelineRows.rowLimit { lines = lines.prefix(TimelineRows.rowLimit - 1) + ["…"] }
        let meta = self.meta(message)
        let metaWidth = meta.reduce(0) { $0 + $1.text.width }
        let lastWidth = lines.last?.width ?? 0
        if lastWidth + 2 + metaWidth > widest { lines.append(.empty) }
        let metaLine = lines.count - 1
        let needed = lines.enumerated().map { index, line in
            line.width + (index == metaLine ? metaWidth + (line.isEmpty ? 0 : 2) : 0)
        }
        let inner = min(max(widest, metaWidth), needed.max() ?? 0)
        let rows = lines.enumerated().map { index, line in
            isOutgoing
                ? outgoing(line, index == metaLine ? meta : [], inner, message)
                : incoming(line, index == metaLine ? meta : [], message)
        }
        guard case .failed(let code) = message.delivery else { return rows }
        return rows + failure(code, widest)
    }

    /// Why a message was not sent, and what can be done, below it on the right.
    private func failure(_ code: ErrorCode, _ widest: Int) -> [TimelineRow] {
        let text = SafeText(code.text + " ") + Texts.retryFailed
        return TextLayout.wrap(text, columns: widest).map { line in
            TimelineRow(column: max(0, columns - line.width - 2), pieces: [.init(text: line, style: Theme.error)])
        }
    }

    private func outgoing(
        _ line: SafeText, _ meta: [TimelineRow.Piece], _ inner: Int, _ message: Message
    ) -> TimelineRow {
        let metaWidth = meta.reduce(0) { $0 + $1.text.width }
        let text = TextLayout.clip(line, from: 0, to: inner)
        let gap = max(0, inner - text.width - metaWidth)
        let blank = SafeText(String(repeating: " ", count: gap))
        let pieces =
            [.init(text: " " + text + blank, style: Theme.outgoing)] + meta
            + [TimelineRow.Piece(text: " ", style: Theme.outgoing)]
        return TimelineRow(column: max(0, columns - inner - 3), pieces: pieces)
    }

    private func incoming(_ line: SafeText, _ meta: [TimelineRow.Piece], _ message: Message) -> TimelineRow {
        let body = message.body == nil ? Theme.error : Theme.primary
        var pieces: [TimelineRow.Piece] = [
            .init(text: "▌ ", style: Theme.sender(message.from.addressText)), .init(text: line, style: body),
        ]
        if !meta.isEmpty, !line.isEmpty { pieces.append(.init(text: "  ", style: body)) }
        return TimelineRow(column: 1, pieces: pieces + meta)
    }

    /// Protection where it is missing, time, and for outgoing messages how far they have come.
    private func meta(_ message: Message) -> [TimelineRow.Piece] {
        let isOutgoing = message.direction == .outgoing
        let quiet = isOutgoing ? Theme.outgoingMeta : Theme.secondary
        var pieces: [TimelineRow.Piece] = []
        if message.security == .plaintext {
            pieces.append(.init(text: Texts.plainMark, style: isOutgoing ? Theme.outgoingWarning : Theme.warning))
            pieces.append(.init(text: " ", style: quiet))
        }
        pieces.append(.init(text: SafeText(days.clock(message.at).clock), style: quiet))
        if let delivery = message.delivery {
            let mark = DeliveryMark(delivery)
            pieces.append(.init(text: " " + mark.sign + " " + mark.word, style: mark.bubbleStyle))
        }
        return pieces
    }
}
