/// Lines entered before, newest last; in memory only. Walking keeps the unfinished line.
package struct EntryHistory: Sendable, Equatable {
    private var entries: [String] = []
    /// Which entry shows; nil is the unfinished line.
    private var place: Int?
    private var unfinished = ""
    private let limit: Int

    /// - Parameter limit: entries kept.
    package init(limit: Int = 100) { self.limit = max(1, limit) }

    /// Adds a line, unless it repeats the last one or is empty.
    package mutating func add(_ line: String) {
        place = nil
        unfinished = ""
        guard !line.isEmpty, entries.last != line else { return }
        entries.append(line)
        if entries.count > limit { entries.removeFirst() }
    }

    /// The entry before the one shown; nil at the oldest.
    package mutating func older(than current: String) -> String? {
        let next = (place ?? entries.count) - 1
        guard next >= 0 else { return nil }
        if place == nil { unfinished = current }
        place = next
        return entries[next]
    }

    /// The entry after the one shown, at last the unfinished line; nil where that already shows.
    package mutating func newer() -> String? {
        guard let shown = place else { return nil }
        let next = shown + 1
        place = next < entries.count ? next : nil
        return next < entries.count ? entries[next] : unfinished
    }
}
