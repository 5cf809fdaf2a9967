/// Cutting and wrapping by cells, never through a cluster.
package enum TextLayout {
    /// The cells from column `from` up to `to`; a wide cluster cut in half becomes a blank.
    package static func clip(_ text: SafeText, from: Int, to: Int) -> SafeText {
        var kept = ""
        var column = 0
        for cluster in text.string {
            guard column < to else { break }
            let width = TextWidth.of(cluster)
            let end = column + width
            if column >= from, end <= to {
                kept.append(cluster)
            } else if end > from, column < to {
                kept.append(" ")
            }
            column = end
        }
        return SafeText(Substring(kept))
    }

    /// At most `columns` cells; where that cuts, the last cell is "…".
    package static func truncate(_ text: SafeText, to columns: Int) -> SafeText {
        guard columns > 0 else { return .empty }
        var kept = ""
        var width = 0
        var fit = kept.endIndex
        for cluster in text.string {
            let next = width + TextWidth.of(cluster)
            if next > columns { return SafeText(kept[..<fit] + "…") }
            kept.append(cluster)
            width = next
            // How much fits beside the ellipsis.
            if next < columns { fit = kept.endIndex }
        }
        return SafeText(Substring(kept))
    }

    /// Rows of at most `columns` cells: broken at line feeds, at spaces, between wide clusters, and where a word is
    /// too long, inside it. Spaces at a break are dropped; others may hang over the edge. Never empty.
    package static func wrap(_ text: SafeText, columns: Int) -> [SafeText] {
        WrappedText(text.string, columns: columns).rows.map { SafeText(text.string[$0]) }
    }
}

/// Text broken into rows, with the ranges of each row in the text.
struct WrappedText {
    /// Without the spaces or line feed that a break took.
    private(set) var rows: [Range<String.Index>] = []

    init(_ text: String, columns: Int) {
        let limit = max(1, columns)
        var rowStart = text.startIndex
        var width = 0
        // Where the row could be broken: its end, and where the next row would start.
        var breakEnd: String.Index?
        var breakNext = text.startIndex
        var widthAtNext = 0
        var index = text.startIndex
        while index < text.endIndex {
            let cluster = text[index]
            let next = text.index(after: index)
            if cluster == "\n" {
                rows.append(rowStart..<index)
                rowStart = next
                width = 0
                breakEnd = nil
                index = next
                continue
            }
            let cells = TextWidth.of(cluster)
            if cluster == " " {
                // A space that does not fit hangs beyond the edge.
                if width > 0 {
                    if breakEnd == nil || breakNext != index { breakEnd = index }
                    breakNext = next
                    widthAtNext = width + cells
                }
                width += cells
                index = next
                continue
            }
            if width + cells > limit, width > 0 {
                if let end = breakEnd {
                    rows.append(rowStart..<end)
                    rowStart = breakNext
                    width -= widthAtNext
                } else {
                    rows.append(rowStart..<index)
                    rowStart = index
                    width = 0
                }
                breakEnd = nil
                // Look at the same cluster again: what moved down may itself be too long.
                continue
            }
            width += cells
            if cells == 2 {
                breakEnd = next
                breakNext = next
                widthAtNext = width
            }
            index = next
        }
        rows.append(rowStart..<text.endIndex)
    }
}
