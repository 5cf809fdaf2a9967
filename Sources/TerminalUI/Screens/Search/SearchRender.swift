import Base
import CommandLine
import Domain
import Terminal

extension SearchState {
    func render(on surface: inout Surface, _ list: ChatListState, _ days: DayNames) {
        let size = surface.size
        let pane = surface.pane(
            title: Texts.search, keys: Texts.searchKeys, columns: min(84, size.columns - 8),
            rows: max(4, min(20, size.rows - 8)))
        surface.entry(query, row: pane.top, in: pane)
        let results = pane.splitTop(2).rest
        if let failure {
            _ = surface.paragraph(failure.shown, row: results.top, in: results, Theme.error)
        } else if isSearching {
            surface.put(Texts.loading, at: results.origin, Theme.secondary, in: results)
        } else if answered != nil, self.results.isEmpty {
            surface.put(Texts.searchNone, at: results.origin, Theme.secondary, in: results)
        }
        guard !self.results.isEmpty, results.rows > 0, !isSearching else { return }
        let first = max(0, chosen - results.rows + 1)
        for (offset, message) in self.results.dropFirst(first).prefix(results.rows).enumerated() {
            let row = Rect(column: results.left, row: results.top + offset, columns: results.columns, rows: 1)
            draw(message, isChosen: first + offset == chosen, on: &surface, row, list, days)
        }
    }

    private func draw(
        _ message: Message, isChosen: Bool, on surface: inout Surface, _ row: Rect, _ list: ChatListState,
        _ days: DayNames
    ) {
        if isChosen { surface.fill(row, Theme.selected) }
        let quiet = isChosen ? Theme.selectedSecondary : Theme.secondary
        let when = surface.putRight(SafeText(days.short(message.at)), row: row.top, in: row, quiet)
        let name = SafeText(list.row(of: message.chat)?.name ?? message.chat.addressText, limit: 256)
        let end = surface.put(
            TextLayout.truncate(name, to: 20), at: row.origin, isChosen ? Theme.selectedHeading : Theme.heading, in: row
        )
        let body = message.body.map { SafeText($0.text, limit: 512) } ?? Texts.undecryptable
        surface.put(
            TextLayout.truncate(body, to: when - end - 3), at: Point(column: end + 2, row: row.top),
            isChosen ? Theme.selected : Theme.primary, in: row)
    }
}
