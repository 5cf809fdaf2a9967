import Base
import CommandLine
import Terminal

/// Drawing that several screens share.
extension Surface {
    /// A horizontal rule over the whole of a rectangle's first row.
    mutating func rule(_ rect: Rect, _ style: Style = Theme.separator) {
        guard rect.columns > 0 else { return }
        put(SafeText(String(repeating: "─", count: rect.columns)), at: rect.origin, style, in: rect)
    }

    /// Text in the middle of a row, cut to fit.
    mutating func center(_ text: SafeText, row: Int, in rect: Rect, _ style: Style) {
        let cut = TextLayout.truncate(text, to: rect.columns)
        put(cut, at: Point(column: rect.left + (rect.columns - cut.width) / 2, row: row), style, in: rect)
    }

    /// Text that ends at a rectangle's right edge.
    /// - Returns: its first column.
    @discardableResult
    mutating func putRight(_ text: SafeText, row: Int, in rect: Rect, _ style: Style) -> Int {
        let column = rect.right - text.width
        put(text, at: Point(column: column, row: row), style, in: rect)
        return column
    }

    /// Wrapped text from a row on.
    /// - Returns: the row after the last one.
    mutating func paragraph(_ text: SafeText, row: Int, in rect: Rect, _ style: Style) -> Int {
        var row = row
        for line in TextLayout.wrap(text, columns: rect.columns) {
            put(line, at: Point(column: rect.left, row: row), style, in: rect)
            row += 1
        }
        return row
    }

    /// A framed pane in the middle of the screen, emptied, with a title in its frame and keys below.
    /// - Returns: the part inside.
    mutating func pane(title: SafeText, keys: SafeText, columns: Int, rows: Int) -> Rect {
        let frame = bounds.centered(columns: columns + 4, rows: rows + 4)
        fill(frame, Theme.primary)
        guard frame.columns >= 6, frame.rows >= 3 else { return frame }
        let line = String(repeating: "─", count: frame.columns - 2)
        put(SafeText("╭" + line + "╮"), at: frame.origin, Theme.separator, in: frame)
        put(
            SafeText("╰" + line + "╯"), at: Point(column: frame.left, row: frame.bottom - 1), Theme.separator,
            in: frame)
        for row in (frame.top + 1)..<(frame.bottom - 1) {
            put("│", at: Point(column: frame.left, row: row), Theme.separator, in: frame)
            put("│", at: Point(column: frame.right - 1, row: row), Theme.separator, in: frame)
        }
        let inner = frame.inset(columns: 2, rows: 1)
        let name = TextLayout.truncate(" " + title + " ", to: frame.columns - 4)
        put(name, at: Point(column: frame.left + 2, row: frame.top), Theme.accent, in: frame)
        let (foot, rest) = inner.splitBottom(1)
        put(TextLayout.truncate(keys, to: foot.columns), at: foot.origin, Theme.secondary, in: foot)
        return rest.splitBottom(rest.rows > 1 ? 1 : 0).rest
    }

    /// One line being written, with its cursor.
    mutating func entry(_ editor: LineEditor, row: Int, in rect: Rect) {
        let line = rect.intersection(Rect(column: rect.left, row: row, columns: rect.columns, rows: 1))
        guard !line.isEmpty else { return }
        put("›", at: line.origin, Theme.accent, in: line)
        let text = line.splitLeft(2).rest
        let view = EditorView(editor, columns: text.columns, limit: 1)
        put(view.rows.first ?? .empty, at: text.origin, Theme.primary, in: text)
        cursor = Point(column: min(text.left + view.cursor.column, text.right - 1), row: row)
    }
}

extension Failure {
    /// What a person is told.
    var shown: SafeText { SafeText(text) }
}
