import Base
import Domain
import Terminal

extension TimelineState {
    /// Draws the newest rows at the bottom, or those a person scrolled to.
    func render(on surface: inout Surface, in pane: Rect, _ days: DayNames) {
        guard !pane.isEmpty else { return }
        if case .failed(let failure) = phase {
            let inner = pane.inset(columns: 2)
            let next = surface.paragraph(failure.shown, row: pane.top + 1, in: inner, Theme.error)
            surface.put(Texts.retryHint, at: Point(column: inner.left, row: next), Theme.secondary, in: inner)
            return
        }
        guard !messages.isEmpty else {
            let text = phase == .loading ? Texts.loading : Texts.noMessages
            surface.center(text, row: pane.top + pane.rows / 2, in: pane, Theme.secondary)
            return
        }
        let rows = TimelineRows(columns: pane.columns, days: days).rows(of: messages, upTo: scroll + pane.rows)
        let shown = rows.dropLast(min(scroll, max(0, rows.count - 1))).suffix(pane.rows)
        var top = pane.bottom - shown.count
        for row in shown {
            draw(row, on: &surface, top, pane)
            top += 1
        }
        if isLoadingOlder { banner(Texts.older, on: &surface, row: pane.top, pane, Theme.secondary) }
        if hasNewBelow { banner(Texts.newBelow, on: &surface, row: pane.bottom - 1, pane, Theme.badge) }
    }

    private func draw(_ row: TimelineRow, on surface: inout Surface, _ top: Int, _ pane: Rect) {
        let width = row.pieces.reduce(0) { $0 + $1.text.width }
        var column = pane.left + (row.isCentered ? max(0, (pane.columns - width) / 2) : row.column)
        for piece in row.pieces {
            column = surface.put(piece.text, at: Point(column: column, row: top), piece.style, in: pane)
        }
    }

    private func banner(_ text: SafeText, on surface: inout Surface, row: Int, _ pane: Rect, _ style: Style) {
        surface.fill(Rect(column: pane.left, row: row, columns: pane.columns, rows: 1), Theme.primary)
        surface.center(" " + text + " ", row: row, in: pane, style)
    }
}
