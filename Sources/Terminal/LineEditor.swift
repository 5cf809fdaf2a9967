/// Text being written, with a cursor that moves by grapheme cluster. Several lines; drawn by `EditorView`.
package struct LineEditor: Sendable, Equatable {
    package private(set) var text: String
    /// Where the next text goes.
    package private(set) var cursor: String.Index
    /// Bytes of UTF-8 at most; input beyond it is dropped.
    package let limit: Int

    package init(_ text: String = "", limit: Int = 64 * 1024) {
        self.text = text
        self.limit = limit
        cursor = text.endIndex
    }

    package var isEmpty: Bool { text.isEmpty }

    /// Inserts at the cursor; what would exceed the limit is dropped from the end.
    package mutating func insert(_ addition: String) {
        var scalars = String.UnicodeScalarView()
        var room = limit - text.utf8.count
        for scalar in addition.unicodeScalars {
            let count = UTF8.width(scalar)
            guard count <= room else { break }
            room -= count
            scalars.append(scalar)
        }
        // Clusters may join across the cursor: it is kept as a place between scalars, then moved to an edge.
        let offset = text.unicodeScalars.distance(from: text.startIndex, to: cursor) + scalars.count
        text.unicodeScalars.insert(contentsOf: scalars, at: cursor)
        cursor = edge(notBefore: text.unicodeScalars.index(text.startIndex, offsetBy: offset))
    }

    package mutating func insert(_ scalar: Unicode.Scalar) { insert(String(Character(scalar))) }

    /// Another text instead, with the cursor behind it.
    package mutating func replace(with text: String) {
        self = LineEditor("", limit: limit)
        insert(text)
    }

    /// Empties it and hands out what was there.
    package mutating func take() -> String {
        defer { self = LineEditor("", limit: limit) }
        return text
    }

    package mutating func deleteBackward() {
        guard cursor > text.startIndex else { return }
        remove(text.index(before: cursor)..<cursor)
    }

    package mutating func deleteForward() {
        guard cursor < text.endIndex else { return }
        remove(cursor..<text.index(after: cursor))
    }

    package mutating func deleteWordBackward() { remove(wordStart..<cursor) }
    package mutating func deleteToLineStart() { remove(lineStart..<cursor) }
    package mutating func deleteToLineEnd() { remove(cursor..<lineEnd) }

    package mutating func moveLeft() { if cursor > text.startIndex { cursor = text.index(before: cursor) } }
    package mutating func moveRight() { if cursor < text.endIndex { cursor = text.index(after: cursor) } }
    package mutating func moveWordLeft() { cursor = wordStart }
    package mutating func moveWordRight() { cursor = wordEnd }
    package mutating func moveToLineStart() { cursor = lineStart }
    package mutating func moveToLineEnd() { cursor = lineEnd }

    /// One line up, at the same column where that line is long enough.
    /// - Returns: false on the first line, where nothing moves.
    package mutating func moveUp() -> Bool {
        let start = lineStart
        guard start > text.startIndex else { return false }
        let column = text.distance(from: start, to: cursor)
        let end = text.index(before: start)
        let first = text[..<end].lastIndex(of: "\n").map { text.index(after: $0) } ?? text.startIndex
        cursor = text.index(first, offsetBy: column, limitedBy: end) ?? end
        return true
    }

    /// One line down; false on the last line.
    package mutating func moveDown() -> Bool {
        let end = lineEnd
        guard end < text.endIndex else { return false }
        let column = text.distance(from: lineStart, to: cursor)
        let first = text.index(after: end)
        let last = text[first...].firstIndex(of: "\n") ?? text.endIndex
        cursor = text.index(first, offsetBy: column, limitedBy: last) ?? last
        return true
    }

    private var lineStart: String.Index {
        text[..<cursor].lastIndex(of: "\n").map { text.index(after: $0) } ?? text.startIndex
    }

    private var lineEnd: String.Index { text[cursor...].firstIndex(of: "\n") ?? text.endIndex }

    /// Back over what is between words, then over one word.
    private var wordStart: String.Index {
        var index = cursor
        while index > text.startIndex, !isWord(text[text.index(before: index)]) { index = text.index(before: index) }
        while index > text.startIndex, isWord(text[text.index(before: index)]) { index = text.index(before: index) }
        return index
    }

    private var wordEnd: String.Index {
        var index = cursor
        while index < text.endIndex, !isWord(text[index]) { index = text.index(after: index) }
        while index < text.endIndex, isWord(text[index]) { index = text.index(after: index) }
        return index
    }

    private func isWord(_ cluster: Character) -> Bool { cluster.isLetter || cluster.isNumber || cluster == "_" }

    private mutating func remove(_ range: Range<String.Index>) {
        guard !range.isEmpty else { return }
        let offset = text.unicodeScalars.distance(from: text.startIndex, to: range.lowerBound)
        text.unicodeScalars.removeSubrange(range)
        // What stood on both sides may have become one cluster.
        cursor = edge(notBefore: text.unicodeScalars.index(text.startIndex, offsetBy: offset))
    }

    /// The first cluster's edge at or after a place between scalars.
    private func edge(notBefore place: String.Index) -> String.Index {
        if place == text.endIndex { return place }
        let rounded = text.index(before: text.index(after: place))
        return rounded < place ? text.index(after: rounded) : rounded
    }
}
