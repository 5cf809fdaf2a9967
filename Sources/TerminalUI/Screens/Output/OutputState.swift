import Terminal

/// A command's answer of several lines.
struct OutputState: Sendable, Equatable {
    let title: SafeText
    let lines: [SafeText]
    var scroll = 0

    /// Lines kept at most.
    static let limit = 2_000

    init(title: String, lines: [String]) {
        self.title = SafeText(title)
        self.lines = lines.prefix(OutputState.limit).map { SafeText($0) }
    }
}
