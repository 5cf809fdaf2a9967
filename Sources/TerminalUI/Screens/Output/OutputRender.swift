import Terminal

extension OutputState {
    func render(on surface: inout Surface) {
        let size = surface.size
        let columns = min(100, size.columns - 8)
        let wrapped = lines.dropFirst(scroll).prefix(size.rows).flatMap { TextLayout.wrap($0, columns: columns) }
        let pane = surface.pane(
            title: title, keys: Texts.outputKeys, columns: columns, rows: max(1, min(lines.count + 4, size.rows - 6)))
        for (offset, line) in wrapped.prefix(pane.rows).enumerated() {
            surface.put(line, at: Point(column: pane.left, row: pane.top + offset), Theme.primary, in: pane)
        }
    }
}
