/// A cell's place: column and row from zero, growing right and down.
package struct Point: Sendable, Hashable {
    package var column: Int
    package var row: Int
    package init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }
}

/// Columns and rows, never negative.
package struct Size: Sendable, Hashable {
    package let columns: Int
    package let rows: Int
    package init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }
}

/// A rectangle of cells. May be empty; never has a negative extent.
package struct Rect: Sendable, Hashable {
    package let origin: Point
    package let size: Size

    package init(column: Int, row: Int, columns: Int, rows: Int) {
        origin = Point(column: column, row: row)
        size = Size(columns: columns, rows: rows)
    }

    /// The whole of a screen of that size.
    package init(_ size: Size) { self.init(column: 0, row: 0, columns: size.columns, rows: size.rows) }

    package var columns: Int { size.columns }
    package var rows: Int { size.rows }
    /// First column, and the one after the last.
    package var left: Int { origin.column }
    package var right: Int { origin.column + size.columns }
    /// First row, and the one after the last.
    package var top: Int { origin.row }
    package var bottom: Int { origin.row + size.rows }
    package var isEmpty: Bool { size.columns == 0 || size.rows == 0 }

    package func contains(_ point: Point) -> Bool {
        point.column >= left && point.column < right && point.row >= top && point.row < bottom
    }

    /// What both cover; empty where they do not meet.
    package func intersection(_ other: Rect) -> Rect {
        let column = max(left, other.left)
        let row = max(top, other.top)
        return Rect(
            column: column, row: row, columns: min(right, other.right) - column, rows: min(bottom, other.bottom) - row)
    }

    /// Cut off `columns` at the left: that part and the rest.
    package func splitLeft(_ columns: Int) -> (part: Rect, rest: Rect) {
        let cut = min(max(0, columns), self.columns)
        return (
            Rect(column: left, row: top, columns: cut, rows: rows),
            Rect(column: left + cut, row: top, columns: self.columns - cut, rows: rows)
        )
    }

    /// Cut off `rows` at the top: that part and the rest.
    package func splitTop(_ rows: Int) -> (part: Rect, rest: Rect) {
        let cut = min(max(0, rows), self.rows)
        return (
            Rect(column: left, row: top, columns: columns, rows: cut),
            Rect(column: left, row: top + cut, columns: columns, rows: self.rows - cut)
        )
    }

    /// Cut off `rows` at the bottom: that part and the rest.
    package func splitBottom(_ rows: Int) -> (part: Rect, rest: Rect) {
        let cut = min(max(0, rows), self.rows)
        let (rest, part) = splitTop(self.rows - cut)
        return (part, rest)
    }

    /// Smaller by so many cells at each side.
    package func inset(columns: Int = 0, rows: Int = 0) -> Rect {
        Rect(
            column: left + columns, row: top + rows, columns: self.columns - 2 * columns, rows: self.rows - 2 * rows)
    }

    /// A rectangle of at most that size in the middle of this one.
    package func centered(columns: Int, rows: Int) -> Rect {
        let width = min(columns, self.columns)
        let height = min(rows, self.rows)
        return Rect(
            column: left + (self.columns - width) / 2, row: top + (self.rows - height) / 2, columns: width, rows: height
        )
    }
}
