import CommandLine
import Terminal

/// Keys and commands. The same in every space.
struct HelpRender {
    let scroll: Int

    func draw(on surface: inout Surface) {
        let size = surface.size
        let columns = min(84, size.columns - 8)
        let lines = HelpRender.lines(columns: columns)
        let pane = surface.pane(
            title: Texts.help, keys: Texts.outputKeys, columns: columns, rows: max(3, min(lines.count, size.rows - 6)))
        let first = max(0, min(scroll, lines.count - pane.rows))
        for (offset, line) in lines.dropFirst(first).prefix(pane.rows).enumerated() {
            surface.put(line.text, at: Point(column: pane.left, row: pane.top + offset), line.style, in: pane)
        }
    }

    static func lines(columns: Int) -> [(text: SafeText, style: Style)] {
        var lines: [(SafeText, Style)] = []
        for (key, use) in Texts.keys {
            let padded = key + String(repeating: " ", count: max(1, 18 - key.count))
            let rows = TextLayout.wrap(use, columns: max(10, columns - 18))
            for (index, row) in rows.enumerated() {
                let lead = index == 0 ? SafeText(padded) : SafeText(String(repeating: " ", count: 18))
                lines.append((lead + row, Theme.primary))
            }
        }
        for command in commandCatalogue {
            lines.append((.empty, Theme.primary))
            for row in TextLayout.wrap(SafeText("/" + command.usage), columns: columns) {
                lines.append((row, Theme.heading))
            }
            for row in TextLayout.wrap(SafeText(command.summary), columns: max(10, columns - 2)) {
                lines.append(("  " + row, Theme.secondary))
            }
        }
        return lines
    }
}
