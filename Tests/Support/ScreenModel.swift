internal import Terminal

/// What a terminal shows after the sequences a full-screen program sends: a stand-in for a real one.
///
/// Knows cursor moves, clearing, both screens; takes no notice of styles, modes and titles. Feed it whole or in parts.
package struct ScreenModel: Sendable {
    package let columns: Int
    package let rows: Int
    private var cells: [String]
    private var column = 0
    private var row = 0
    private var pending: [UInt8] = []

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cells = Array(repeating: " ", count: columns * rows)
    }

    package func text(row: Int) -> String { cells[(row * columns)..<((row + 1) * columns)].joined() }

    /// Every row, one below the other.
    package var text: String { (0..<rows).map { text(row: $0) }.joined(separator: "\n") }

    package mutating func feed(_ bytes: some Sequence<UInt8>) {
        pending += bytes
        while let taken = take() { pending.removeFirst(taken) }
    }

    /// Carries out what stands at the front; the number of bytes it took, nil where more have to come.
    private mutating func take() -> Int? {
        guard let first = pending.first else { return nil }
        if first == 0x1B { return takeSequence() }
        if first < 0x20 {
            if first == 0x0D { column = 0 }
            if first == 0x0A { row = min(row + 1, rows - 1) }
            return 1
        }
        // Up to the next control: clusters must be whole. A text cut in the middle waits for its rest.
        let end = pending.firstIndex { $0 < 0x20 }
        guard let end else { return nil }
        for cluster in String(decoding: pending[..<end], as: UTF8.self) { draw(cluster) }
        return end
    }

    private mutating func takeSequence() -> Int? {
        guard pending.count > 1 else { return nil }
        if pending[1] == 0x5D {
            // OSC up to ST.
            guard let end = pending.indices.dropFirst(2).first(where: { pending[$0] == 0x5C || pending[$0] == 0x07 })
            else { return nil }
            return end + 1
        }
        guard pending[1] == 0x5B else { return 2 }
        guard let end = pending.indices.dropFirst(2).first(where: { (0x40...0x7E).contains(pending[$0]) }) else {
            return nil
        }
        let parameters = String(decoding: pending[2..<end], as: UTF8.self)
        switch pending[end] {
        case UInt8(ascii: "J"): cells = Array(repeating: " ", count: cells.count)
        case UInt8(ascii: "H"):
            let numbers = parameters.split(separator: ";").compactMap { Int($0) }
            row = min(max(0, (numbers.first ?? 1) - 1), rows - 1)
            column = min(max(0, (numbers.dropFirst().first ?? 1) - 1), columns - 1)
        case UInt8(ascii: "h"), UInt8(ascii: "l"):
            if parameters == "?1049" { cells = Array(repeating: " ", count: cells.count) }
        default: break
        }
        return end + 1
    }

    private mutating func draw(_ cluster: Character) {
        let width = TextWidth.of(cluster)
        guard width > 0, column + width <= columns else { return }
        // Half of a wide cluster that is covered disappears as a whole.
        for index in column..<(column + width) { clear(index) }
        cells[row * columns + column] = String(cluster)
        if width == 2 { cells[row * columns + column + 1] = "" }
        column += width
    }

    private mutating func clear(_ column: Int) {
        let index = row * columns + column
        if cells[index].isEmpty { cells[index - 1] = " " }
        if column + 1 < columns, cells[index + 1].isEmpty { cells[index + 1] = " " }
        cells[index] = " "
    }
}
