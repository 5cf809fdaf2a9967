import Application
import Base
import Domain
import Terminal

extension SessionState {
    mutating func update(_ input: Input, _ context: SessionContext) -> [Effect] {
        switch input {
        case .key(let key) where key.locks: return [.lock(.locked)]
        case .key(let key):
            if overlay != nil { return pressedInOverlay(key, context) }
            return pressed(key, context)
        case .paste(let paste): return pasted(paste, context)
        case .mouse(let event): return overlay == nil ? moused(event, context) : []
        case .focus(let hasFocus):
            self.hasFocus = hasFocus
            return hasFocus ? seen() : []
        case .secret(let secret): return gotSecret(secret)
        case .secretEnded(let outcome): return lostSecret(outcome)
        case .tick:
            if let notice, context.boottime >= notice.until { self.notice = nil }
            return []
        case .secretWanted(let question):
            overlay = .prompt(question, isRefused: false)
            return []
        case .wordWanted(let consequence):
            overlay = .confirm(consequence, LineEditor(limit: 64))
            return []
        case .app(let event): return learned(event, context)
        case .answer(let answer): return answered(answer, context)
        case .resized, .terminalGone, .lockWanted: return []
        }
    }

    // MARK: keys

    private mutating func pressed(_ key: KeyPress, _ context: SessionContext) -> [Effect] {
        switch key {
        case .control("r"):
            var effects = SessionState.loadAll + [.redraw]
            if let timeline { effects.append(.load(.history(timeline.chat, limit: timeline.window))) }
            return effects
        case KeyPress(.function(1)):
            overlay = .help(scroll: 0)
            return []
        case KeyPress(.function(2)), .control("t"):
            overlay = .switcher(SwitcherState(chosen: profiles.firstIndex(where: \.isActive) ?? 0))
            return [.load(.profiles)]
        case KeyPress(.function(3)):
            isListShown.toggle()
            return []
        case KeyPress(.function(5)):
            guard activeProfile != nil, status?.connection != .online else { return [] }
            return [.connect]
        case .control("o"):
            overlay = .newChat(LineEditor(limit: 3071), nil)
            return []
        case .control("f"):
            overlay = .search(SearchState())
            return []
        case KeyPress(.up, .alt), .control("p"): return step(-1, context)
        case KeyPress(.down, .alt), .control("n"): return step(1, context)
        case KeyPress(.tab): return openUnread(context)
        case KeyPress(.pageUp): return scroll(by: max(1, layout(context).timeline.rows - 2), context)
        case KeyPress(.pageDown): return scroll(by: -max(1, layout(context).timeline.rows - 2), context)
        case KeyPress(.end) where composer.isEmpty: return scroll(by: -.max, context)
        case KeyPress(.enter): return submit(context)
        case KeyPress(.character("a"), .alt):
            guard let jid = asking else { return [] }
            asking = nil
            notice = nil
            return [.acceptContact(jid)]
        case KeyPress(.character("r"), .alt): return retryFailed()
        case .control("c"):
            if composer.isEmpty { tell(Texts.leaveHint, .info, context) } else { composer = emptied }
            return []
        case .control("d") where composer.isEmpty:
            tell(Texts.leaveHint, .info, context)
            return []
        default:
            edit(key)
            return []
        }
    }

    /// Sends the failed messages of the open chat again, oldest first.
    private func retryFailed() -> [Effect] {
        (timeline?.messages ?? []).compactMap { message in
            if case .failed = message.delivery { .retry(message.id) } else { nil }
        }
    }

    private var emptied: LineEditor { LineEditor(limit: MessageBody.limit) }

    /// Keys of the composer.
    private mutating func edit(_ key: KeyPress) {
        var editor = composer
        switch key {
        case KeyPress(.enter, .alt), KeyPress(.enter, .shift), .control("j"): editor.insert("\n")
        case KeyPress(.up):
            if !editor.moveUp(), editor.text.isEmpty || editor.text.hasPrefix("/"),
                let line = commandHistory.older(than: editor.text)
            {
                editor.replace(with: line)
            }
        case KeyPress(.down):
            if !editor.moveDown(), editor.text.isEmpty || editor.text.hasPrefix("/"),
                let line = commandHistory.newer()
            {
                editor.replace(with: line)
            }
        default: editor.edit(key)
        }
        composer = editor
    }

    private mutating func pasted(_ paste: Paste, _ context: SessionContext) -> [Effect] {
        if paste.isCut { tell(Texts.pasteCut, .warning, context) }
        switch overlay {
        case nil:
            var editor = composer
            // What somebody else wrote must not become a command by a key press too many.
            if editor.isEmpty, paste.text.hasPrefix("/") { editor.insert("/") }
            editor.insert(paste.text)
            composer = editor
        case .newChat(var editor, let failure):
            editor.insert(paste.text.firstLine)
            overlay = .newChat(editor, failure)
        case .search(var state):
            state.query.insert(paste.text.firstLine)
            overlay = .search(state)
        case .setup(var state):
            state.entry.insert(paste.text.firstLine)
            overlay = .setup(state)
        // The word is typed, not pasted by accident.
        case .switcher, .help, .output, .prompt, .confirm, .plain: break
        }
        return []
    }

    /// Enter in the composer.
    private mutating func submit(_ context: SessionContext) -> [Effect] {
        var text = composer.text
        if text.hasPrefix("/"), !text.hasPrefix("//") {
            guard !text.contains("\n") else {
                tell(Texts.commandOneLine, .warning, context)
                return []
            }
            guard !isWorking else {
                tell(Texts.working, .info, context)
                return []
            }
            commandHistory.add(text)
            composer = emptied
            isWorking = true
            // What an earlier one came to is no answer to this one.
            notice = nil
            return [.command(String(text.dropFirst()))]
        }
        guard let chat = openChat, text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            return []
        }
        if text.hasPrefix("//") { text.removeFirst() }
        composer = emptied
        timeline?.scroll = 0
        timeline?.hasNewBelow = false
        return [.send(text, to: chat, plain: plainChats.contains(chat))]
    }

    // MARK: chats

    /// Where list and chat no longer stand side by side, an open chat stays in sight: what is typed goes into it.
    mutating func resized(from old: Size, to new: Size) {
        guard timeline != nil, SessionLayout.fitsBoth(old) != SessionLayout.fitsBoth(new) else { return }
        isListShown = SessionLayout.fitsBoth(new)
    }

    /// Opens a chat: its newest page is read, and it counts as seen.
    mutating func open(_ jid: JID, _ context: SessionContext) -> [Effect] {
        overlay = nil
        if timeline?.chat != jid { timeline = TimelineState(chat: jid) }
        if !SessionLayout.fitsBoth(context.size) { isListShown = false }
        if let index = list.rows.firstIndex(where: { $0.jid == jid }) { show(row: index, context) }
        return [.load(.history(jid, limit: TimelineState.page))] + seen()
    }

    private mutating func step(_ offset: Int, _ context: SessionContext) -> [Effect] {
        guard !list.rows.isEmpty else { return [] }
        let current = list.rows.firstIndex { $0.jid == openChat }
        let next = current.map { min(max(0, $0 + offset), list.rows.count - 1) } ?? 0
        return next == current ? [] : open(list.rows[next].jid, context)
    }

    private mutating func openUnread(_ context: SessionContext) -> [Effect] {
        let start = (list.rows.firstIndex { $0.jid == openChat } ?? -1) + 1
        let order = Array(list.rows[start...]) + Array(list.rows[..<start])
        guard let next = order.first(where: { $0.unread > 0 }) else { return [] }
        return open(next.jid, context)
    }

    /// Scrolls the list so that a row shows.
    private mutating func show(row: Int, _ context: SessionContext) {
        list.scroll = min(list.scroll, row)
        list.scroll = max(list.scroll, row - visibleRows(context) + 1)
    }

    /// How many chats the list shows at once.
    private func visibleRows(_ context: SessionContext) -> Int {
        max(1, layout(context).listRows.rows / ChatListRender.rowsEach)
    }

    /// The open chat lies before a person: it counts as seen.
    func seen() -> [Effect] {
        guard hasFocus, let timeline, timeline.scroll == 0 else { return [] }
        return [.markSeen(timeline.chat)]
    }

    private mutating func scroll(by rows: Int, _ context: SessionContext) -> [Effect] {
        guard var timeline else { return [] }
        let wasAway = timeline.scroll > 0
        let pane = layout(context).timeline
        let wanted = max(0, rows == -.max ? 0 : timeline.scroll + rows)
        let total = TimelineRows.count(of: timeline.messages, columns: pane.columns, upTo: wanted + pane.rows)
        timeline.scroll = min(wanted, max(0, total - pane.rows))
        if timeline.scroll == 0 { timeline.hasNewBelow = false }
        let isAtTop = wanted + pane.rows >= total
        var effects: [Effect] = []
        if rows > 0, isAtTop, timeline.mayHaveOlder, !timeline.isLoadingOlder, timeline.phase == .loaded,
            timeline.messages.count < TimelineState.limit, let oldest = timeline.messages.first
        {
            timeline.isLoadingOlder = true
            effects.append(.older(timeline.chat, before: oldest.id))
        }
        self.timeline = timeline
        return effects + (wasAway && timeline.scroll == 0 ? seen() : [])
    }

    private mutating func moused(_ event: MouseEvent, _ context: SessionContext) -> [Effect] {
        let layout = layout(context)
        switch event.action {
        case .press where event.button == .left && layout.listRows.contains(event.point):
            let row = (event.point.row - layout.listRows.top) / ChatListRender.rowsEach + list.scroll
            return list.rows.indices.contains(row) ? open(list.rows[row].jid, context) : []
        case .wheelUp where layout.list.contains(event.point):
            list.scroll = max(0, list.scroll - 1)
            return []
        case .wheelDown where layout.list.contains(event.point):
            list.scroll = min(list.scroll + 1, max(0, list.rows.count - visibleRows(context)))
            return []
        case .wheelUp: return scroll(by: 3, context)
        case .wheelDown: return scroll(by: -3, context)
        case .press, .release, .drag: return []
        }
    }

    // MARK: words on the status line

    mutating func tell(_ text: SafeText, _ kind: Notice.Kind, _ context: SessionContext) {
        notice = Notice(text: text, kind: kind, until: context.boottime + (kind == .info ? 4_000 : 8_000))
    }

    mutating func tell(_ failure: Failure, _ context: SessionContext) {
        tell(SafeText(failure.text), .error, context)
    }

    func layout(_ context: SessionContext) -> SessionLayout { SessionLayout(self, size: context.size) }
}

extension KeyPress {
    /// Ctrl-L and Ctrl-Z; also behind an Esc pressed a moment before, which terminals send alike with Alt.
    fileprivate var locks: Bool {
        modifiers.subtracting(.alt) == .control && (key == .character("l") || key == .character("z"))
    }
}

extension String {
    /// Up to the first line break.
    var firstLine: String { String(prefix { !$0.isNewline }) }
}
