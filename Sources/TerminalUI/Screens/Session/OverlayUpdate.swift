import Application
import Base
import CommandLine
import Domain
import Terminal

/// Keys and secrets while a pane lies over the chats.
extension SessionState {
    mutating func pressedInOverlay(_ key: KeyPress, _ context: SessionContext) -> [Effect] {
        switch (key, overlay) {
        case (KeyPress(.escape), .setup(var state)), (.control("c"), .setup(var state)):
            overlay = state.goBack() ? .setup(state) : nil
            return overlay == nil ? SessionState.loadAll : []
        case (KeyPress(.escape), .confirm), (.control("c"), .confirm):
            overlay = nil
            return [.giveWord(false)]
        case (KeyPress(.escape), _), (.control("c"), _):
            overlay = nil
            return []
        case (_, .switcher(let state)): return pressed(key, state)
        case (_, .search(let state)): return pressed(key, state, context)
        case (_, .help(let scroll)): overlay = .help(scroll: max(0, scroll + lines(key, context)))
        case (_, .output(var state)):
            state.scroll = max(0, min(state.scroll + lines(key, context), state.lines.count - 1))
            overlay = .output(state)
        case (_, .newChat(let editor, _)): return pressed(key, editor, context)
        case (KeyPress(.enter), .confirm(let consequence, let editor)):
            overlay = nil
            return [.giveWord(editor.text.trimmed == consequence.word)]
        case (_, .confirm(let consequence, var editor)):
            editor.edit(key)
            overlay = .confirm(consequence, editor)
        case (.character("p"), .plain(let chat)):
            overlay = nil
            plainChats.insert(chat)
            guard openChat == chat, !composer.isEmpty else { return [] }
            var text = composer.text
            if text.hasPrefix("//") { text.removeFirst() }
            composer = LineEditor(limit: MessageBody.limit)
            return [.send(text, to: chat, plain: true)]
        case (_, .setup(var state)):
            let (effects, isOver) = state.update(key)
            overlay = isOver ? nil : .setup(state)
            guard isOver, case .addContact(let jid) = effects.first else {
                return effects + (isOver ? SessionState.loadAll : [])
            }
            return open(jid, context) + effects
        case (_, .plain), (_, .prompt), (_, nil): break
        }
        return []
    }

    mutating func gotSecret(_ secret: Secret) -> [Effect] {
        switch overlay {
        case .prompt:
            overlay = nil
            return [.giveSecret(secret)]
        case .setup(var state):
            let effects = state.update(secret)
            overlay = .setup(state)
            return effects
        case .switcher, .search, .help, .output, .newChat, .confirm, .plain, nil: return []
        }
    }

    mutating func lostSecret(_ outcome: SecretEntry.Outcome) -> [Effect] {
        switch (overlay, outcome) {
        case (.prompt(let question, _), .refused):
            overlay = .prompt(question, isRefused: true)
            return []
        case (.prompt, _):
            overlay = nil
            return [.giveSecret(nil)]
        case (.setup(var state), .refused):
            state.isRefused = true
            overlay = .setup(state)
            return []
        case (.setup(var state), _):
            _ = state.goBack()
            overlay = .setup(state)
            return []
        default: return []
        }
    }

    mutating func accountAdded(_ failure: Failure?) -> [Effect] {
        guard case .setup(var state) = overlay else { return SessionState.loadAll }
        let effects = state.added(failure)
        overlay = .setup(state)
        return SessionState.loadAll + effects
    }

    mutating func accountChanged(_ failure: Failure?, _ context: SessionContext) -> [Effect] {
        guard case .setup(var state) = overlay else {
            if let failure { tell(failure, context) }
            return SessionState.loadAll
        }
        let effects = state.changed(failure)
        overlay = .setup(state)
        return SessionState.loadAll + effects
    }

    mutating func contactAdded(_ jid: JID, _ failure: Failure?, _ context: SessionContext) -> [Effect] {
        if let failure { tell(failure, context) }
        return SessionState.loadAll
    }

    private func lines(_ key: KeyPress, _ context: SessionContext) -> Int {
        switch key {
        case KeyPress(.up): -1
        case KeyPress(.down): 1
        case KeyPress(.pageUp): -max(1, context.size.rows - 8)
        case KeyPress(.pageDown): max(1, context.size.rows - 8)
        default: 0
        }
    }

    private mutating func pressed(_ key: KeyPress, _ state: SwitcherState) -> [Effect] {
        guard !profiles.isEmpty else { return [] }
        var state = state
        let chosen = min(state.chosen, profiles.count - 1)
        switch key {
        case KeyPress(.up): state.chosen = max(0, chosen - 1)
        case KeyPress(.down): state.chosen = min(profiles.count - 1, chosen + 1)
        case KeyPress(.enter):
            overlay = nil
            let profile = profiles[chosen]
            guard !profile.isActive else { return [] }
            isSwitching = true
            return [.use(profile.settings.name)]
        default: break
        }
        overlay = .switcher(state)
        return []
    }

    private mutating func pressed(_ key: KeyPress, _ state: SearchState, _ context: SessionContext) -> [Effect] {
        var state = state
        switch key {
        case KeyPress(.up): state.chosen = max(0, state.chosen - 1)
        case KeyPress(.down): state.chosen = min(max(0, state.results.count - 1), state.chosen + 1)
        case KeyPress(.enter):
            if state.answered == state.query.text, state.results.indices.contains(state.chosen) {
                return open(state.results[state.chosen].chat, context)
            }
            guard !state.query.isEmpty else { return [] }
            state.isSearching = true
            overlay = .search(state)
            return [.search(state.query.text)]
        default: state.query.edit(key)
        }
        overlay = .search(state)
        return []
    }

    private mutating func pressed(_ key: KeyPress, _ editor: LineEditor, _ context: SessionContext) -> [Effect] {
        var editor = editor
        guard key == KeyPress(.enter) else {
            editor.edit(key)
            overlay = .newChat(editor, nil)
            return []
        }
        do throws(Failure) {
            let jid = try JID(editor.text.trimmed)
            guard jid.isBare, jid.local != nil else { throw Failure(.jidInvalid) }
            let isKnown = list.row(of: jid) != nil
            return open(jid, context) + (isKnown ? [] : [.addContact(jid)])
        } catch {
            overlay = .newChat(editor, error)
            return []
        }
    }
}

extension String {
    /// Without white space at its ends.
    var trimmed: String {
        let start = firstIndex { !$0.isWhitespace } ?? endIndex
        let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? endIndex
        return start < end ? String(self[start..<end]) : ""
    }
}
