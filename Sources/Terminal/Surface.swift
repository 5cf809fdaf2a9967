/// One cell. `width` 0 is the right half of a wide cluster.
struct Cell: Equatable {
    /// A scalar, or with bit 31 an index into the surface's clusters.
    var glyph: UInt32
    var width: UInt8
    var style: Style

    static let blank = Cell(glyph: 0x20, width: 1, style: .standard)
    static let clusterFlag: UInt32 = 1 << 31
    var isCluster: Bool { glyph & Cell.clusterFlag != 0 }
}

/// A grid of cells to be shown. A value: drawing a screen makes a new one, `Renderer` finds what changed.
///
/// Nothing drawn leaves the rectangle given or the grid; a wide cluster that fits by half becomes a blank.
package struct Surface: Sendable {
    package let size: Size
    /// Where the cursor shows; nil hides it.
    package var cursor: Point?
    private(set) var cells: [Cell]
    /// Clusters of more than one scalar.
    private(set) var clusters: [Character] = []

    package init(size: Size, style: Style = .standard) {
        self.size = size
        cells = Array(repeating: Cell(glyph: 0x20, width: 1, style: style), count: size.columns * size.rows)
    }

    package var bounds: Rect { Rect(size) }

    /// Blanks a rectangle.
    package mutating func fill(_ rect: Rect, _ style: Style) {
        let area = rect.intersection(bounds)
        guard !area.isEmpty else { return }
        for row in area.top..<area.bottom {
            splitWide(column: area.left, row: row)
            splitWide(column: area.right, row: row)
            let start = row * size.columns
            for column in area.left..<area.right {
                cells[start + column] = Cell(glyph: 0x20, width: 1, style: style)
            }
        }
    }

    /// Draws text on one row from `point` on, up to its first line feed, clipped to `clip` and the grid.
    /// - Returns: the column after the last cell the text would take if nothing clipped it.
    @discardableResult
    package mutating func put(_ text: SafeText, at point: Point, _ style: Style, in clip: Rect? = nil) -> Int {
        let area = (clip ?? bounds).intersection(bounds)
        var column = point.column
        let isVisible = point.row >= area.top && point.row < area.bottom
        for cluster in text.string {
            if cluster == "\n" { break }
            let width = TextWidth.of(cluster)
            if isVisible, width > 0 { place(cluster, width: width, column: column, row: point.row, style, area) }
            column += width
        }
        return column
    }

    /// A row as text, wide clusters once; for tests and screen readers.
    package func text(row: Int) -> String {
        guard row >= 0, row < size.rows else { return "" }
        var text = ""
        for column in 0..<size.columns {
            let cell = cells[row * size.columns + column]
            if cell.width > 0 { text.append(character(cell)) }
        }
        return text
    }

    /// How a cell looks.
    package func style(at point: Point) -> Style? {
        bounds.contains(point) ? cells[point.row * size.columns + point.column].style : nil
    }

    func character(_ cell: Cell) -> Character {
        if cell.isCluster { return clusters[Int(cell.glyph & ~Cell.clusterFlag)] }
        return Character(Unicode.Scalar(cell.glyph) ?? "\u{FFFD}")
    }

    private mutating func place(
        _ cluster: Character, width: Int, column: Int, row: Int, _ style: Style, _ area: Rect
    ) {
        let end = column + width
        guard end > area.left, column < area.right else { return }
        let start = row * size.columns
        splitWide(column: max(column, area.left), row: row)
        splitWide(column: min(end, area.right), row: row)
        if column < area.left || end > area.right {
            let seen = column < area.left ? area.left : column
            cells[start + seen] = Cell(glyph: 0x20, width: 1, style: style)
            return
        }
        cells[start + column] = Cell(glyph: glyph(cluster), width: UInt8(width), style: style)
        if width == 2 { cells[start + column + 1] = Cell(glyph: 0x20, width: 0, style: style) }
    }

    /// If `column` is the right half of a wide cluster, both halves become blanks: something will cover one of them.
    private mutating func splitWide(column: Int, row: Int) {
        guard column > 0, column < size.columns else { return }
        let index = row * size.columns + column
        guard cells[index].width == 0 else { return }
        cells[index] = Cell(glyph: 0x20, width: 1, style: cells[index].style)
        cells[index - 1] = Cell(glyph: 0x20, width: 1, style: cells[index - 1].style)
    }

    private mutating func glyph(_ cluster: Character) -> UInt32 {
        let scalars = cluster.unicodeScalars
        if let first = scalars.first, scalars.index(after: scalars.startIndex) == scalars.endIndex {
            return first.value
        }
        clusters.append(cluster)
        return Cell.clusterFlag | UInt32(clusters.count - 1)
    }
}
