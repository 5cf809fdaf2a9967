/// The rows of an editor's text that show, and where its cursor stands among them.
package struct EditorView: Sendable, Equatable {
    /// At least one, at most as many as asked for.
    package let rows: [SafeText]
    /// Column and row of the cursor within `rows`.
    package let cursor: Point

    /// - Parameters:
    ///   - columns: cells of a row; the cursor may stand on the last one.
    ///   - limit: rows that show at most; the cursor's row is among them.
    package init(_ editor: LineEditor, columns: Int, limit: Int) {
        let width = max(3, columns)
        var all: [String] = []
        var cursor = Point(column: 0, row: 0)
        var row = ""
        var used = 0
        var index = editor.text.startIndex
        while true {
            let isEnd = index == editor.text.endIndex
            let cluster: Character? = isEnd ? nil : editor.text[index]
            // What is typed may hold what a surface must not: measure what will show.
            let shown = cluster.map { $0 == "\n" ? SafeText.empty : SafeText(String($0), lines: .one) } ?? .empty
            let cells = shown.width
            // One cell is kept for the cursor after the last cluster.
            if used + cells > width - 1, used > 0 {
                all.append(row)
                row = ""
                used = 0
            }
            if index == editor.cursor { cursor = Point(column: used, row: all.count) }
            guard let cluster else { break }
            if cluster == "\n" {
                all.append(row)
                row = ""
                used = 0
            } else {
                row += shown.string
                used += cells
            }
            index = editor.text.index(after: index)
        }
        all.append(row)
        let shown = max(1, limit)
        let first = max(0, min(cursor.row - shown + 1, all.count - shown))
        let top = cursor.row < first ? cursor.row : first
        rows = all[top..<min(all.count, top + shown)].map { SafeText($0) }
        self.cursor = Point(column: cursor.column, row: cursor.row - top)
    }
}
