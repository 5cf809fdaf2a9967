import Terminal

/// Where things stand on the screen of the open session.
///
///     list      │ header
///               │ ─────────
///               │ timeline
///               │ ─────────
///               │ composer (1–6 rows)
///     status line
struct SessionLayout {
    /// The whole list with its heading, empty where it does not show.
    let list: Rect
    /// The rows of the list proper.
    let listRows: Rect
    /// The rule between list and chat; empty where only one of them shows.
    let divider: Rect
    let header: Rect
    let headerRule: Rect
    let timeline: Rect
    let composerRule: Rect
    let composer: Rect
    let status: Rect

    /// Columns from which list and chat stand side by side.
    static let wide = 64
    static let composerRows = 6
    /// Columns left of the text in the composer.
    static let composerMargin = 2

    static func fitsBoth(_ size: Size) -> Bool { size.columns >= wide }

    init(_ state: SessionState, size: Size) {
        let (status, above) = Rect(size).splitBottom(1)
        self.status = status
        let columns: Int
        if SessionLayout.fitsBoth(size) {
            columns = state.isListShown ? min(36, max(24, size.columns * 3 / 10)) : 0
        } else {
            // One at a time: the list, unless a chat is open and the list was put away.
            columns = state.isListShown || state.timeline == nil ? size.columns : 0
        }
        let (list, rest) = above.splitLeft(columns)
        let hasBoth = columns > 0 && !rest.isEmpty
        let (divider, chat) = rest.splitLeft(hasBoth ? 1 : 0)
        self.list = list
        listRows = list.splitTop(2).rest
        self.divider = divider
        let text = max(1, chat.columns - SessionLayout.composerMargin - 1)
        let rows = EditorView(state.composer, columns: text, limit: SessionLayout.composerRows).rows.count
        let (composer, aboveComposer) = chat.splitBottom(min(rows, max(1, chat.rows / 3)))
        self.composer = composer
        let (composerRule, aboveRule) = aboveComposer.splitBottom(1)
        self.composerRule = composerRule
        let (header, belowHeader) = aboveRule.splitTop(1)
        self.header = header
        let (headerRule, timeline) = belowHeader.splitTop(1)
        self.headerRule = headerRule
        self.timeline = timeline
    }
}
