/// Turns surfaces into the bytes that make a terminal show them, sending only what changed.
///
/// Each frame is one synchronized update. After a cluster whose width terminals disagree about, the rest of its row is
/// drawn again from an absolute position, so that a disagreement never spreads.
package struct Renderer: Sendable {
    private let depth: ColorDepth
    private let glyphs: GlyphSet
    private var shown: Surface?

    package init(depth: ColorDepth, glyphs: GlyphSet = .unicode) {
        self.depth = depth
        self.glyphs = glyphs
    }

    /// Forgets what the terminal shows: the next frame draws everything (after a resize, or a foreign program).
    package mutating func invalidate() { shown = nil }

    /// The bytes from the last frame to this one; empty if nothing changed.
    package mutating func frame(_ next: Surface) -> [UInt8] {
        var pen = Pen(depth: depth, size: next.size)
        let before = shown?.size == next.size ? shown : nil
        if before == nil { pen.clear() }
        for row in 0..<next.size.rows { draw(row, next, before, &pen) }
        shown = next
        let isMoved = before == nil || before?.cursor != next.cursor
        guard !pen.bytes.isEmpty || isMoved else { return [] }
        return pen.finished(cursor: next.cursor)
    }

    private func draw(_ row: Int, _ next: Surface, _ before: Surface?, _ pen: inout Pen) {
        let columns = next.size.columns
        let start = row * columns
        var isWholeRest = false
        var column = 0
        while column < columns {
            let cell = next.cells[start + column]
            let advance = max(1, Int(cell.width))
            defer { column += advance }
            guard isWholeRest || !isSame(start + column, advance, next, before) else { continue }
            let cluster = next.character(cell)
            let isCertain = glyphs == .ascii || TextWidth.isCertain(cluster)
            let glyph = glyphs.shown(cluster, width: advance)
            pen.draw(glyph, width: advance, isCertain: isCertain, cell.style, at: Point(column: column, row: row))
            if !isCertain { isWholeRest = true }
        }
    }

    private func isSame(_ index: Int, _ count: Int, _ next: Surface, _ before: Surface?) -> Bool {
        // A cleared screen is all standard blanks.
        guard let before else { return next.cells[index] == .blank }
        let (a, b) = (next.cells[index], before.cells[index])
        if a.isCluster || b.isCluster {
            guard a.isCluster, b.isCluster, a.width == b.width, a.style == b.style else { return false }
            return next.character(a) == before.character(b)
        }
        return a == b
    }
}

/// What a terminal's cursor and style are while a frame is written.
private struct Pen {
    let depth: ColorDepth
    let size: Size
    private(set) var bytes: [UInt8] = []
    /// nil: not known, for instance after the last column.
    private var place: Point?
    private var style: Style?

    init(depth: ColorDepth, size: Size) {
        self.depth = depth
        self.size = size
    }

    mutating func clear() {
        set(.standard)
        bytes.append(contentsOf: [0x1B, 0x5B, 0x32, 0x4A])
    }

    mutating func draw(_ glyph: String, width: Int, isCertain: Bool, _ style: Style, at point: Point) {
        move(to: point)
        set(style)
        if !isCertain {
            // Should the terminal draw it narrower than we think, nothing old shows beside it.
            for _ in 0..<width { bytes.append(0x20) }
            place = nil
            move(to: point)
        }
        bytes.append(contentsOf: glyph.utf8)
        let next = point.column + width
        place = isCertain && next < size.columns ? Point(column: next, row: point.row) : nil
    }

    func finished(cursor: Point?) -> [UInt8] {
        var frame: [UInt8] = Array("\u{1B}[?2026h\u{1B}[?25l".utf8)
        frame.append(contentsOf: bytes)
        if let style, style != .standard { frame.append(contentsOf: [0x1B, 0x5B, 0x30, 0x6D]) }
        if let cursor {
            Pen.append(move: cursor, to: &frame)
            frame.append(contentsOf: Array("\u{1B}[?25h".utf8))
        }
        frame.append(contentsOf: Array("\u{1B}[?2026l".utf8))
        return frame
    }

    private mutating func move(to point: Point) {
        if place == point { return }
        Pen.append(move: point, to: &bytes)
        place = point
    }

    private mutating func set(_ style: Style) {
        if self.style == style { return }
        depth.append(style, to: &bytes)
        self.style = style
    }

    /// CUP (ECMA-48 8.3.21), which counts from one.
    private static func append(move point: Point, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: [0x1B, 0x5B])
        bytes.append(decimal: point.row + 1)
        bytes.append(0x3B)
        bytes.append(decimal: point.column + 1)
        bytes.append(0x48)
    }
}
