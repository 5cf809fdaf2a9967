import Application
import Domain
import Terminal

/// Where a message is written: one to six rows.
struct ComposerRender {
    let state: SessionState

    func draw(on surface: inout Surface, in area: Rect) {
        guard area.columns > SessionLayout.composerMargin + 1 else { return }
        let editor = state.composer
        let isCommand = editor.text.hasPrefix("/") && !editor.text.hasPrefix("//")
        surface.put(
            isCommand ? "/" : "›", at: Point(column: area.left, row: area.top),
            isCommand ? Theme.warning : Theme.accent, in: area)
        let text = area.splitLeft(SessionLayout.composerMargin).rest.inset()
        let view = EditorView(editor, columns: max(1, text.columns - 1), limit: area.rows)
        if editor.isEmpty {
            surface.put(
                TextLayout.truncate(placeholder, to: text.columns), at: text.origin, Theme.placeholder, in: text)
        }
        for (offset, row) in view.rows.enumerated() {
            surface.put(row, at: Point(column: text.left, row: text.top + offset), Theme.primary, in: text)
        }
        if isCommand, view.rows.count == 1 {
            let room = text.columns - (view.rows.first?.width ?? 0) - 3
            if Texts.commandHint.width <= room {
                surface.putRight(Texts.commandHint, row: text.top, in: text, Theme.secondary)
            }
        }
        if state.overlay == nil {
            surface.cursor = Point(
                column: min(text.left + view.cursor.column, text.right - 1), row: text.top + view.cursor.row)
        }
    }

    private var placeholder: SafeText {
        guard let chat = state.openChat else { return Texts.composerNone }
        if state.plainChats.contains(chat) || state.status?.security == .plaintext { return Texts.composerPlain }
        return Texts.composer
    }
}
