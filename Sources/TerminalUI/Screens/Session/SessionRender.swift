import Application
import Base
import CommandLine
import Domain
import Terminal

extension SessionState {
    func render(on surface: inout Surface, _ model: Model) {
        let layout = SessionLayout(self, size: model.size)
        let days = model.dayNames
        ChatListRender(list: list, openChat: openChat, days: days).draw(on: &surface, layout)
        for row in layout.divider.top..<layout.divider.bottom where layout.divider.columns > 0 {
            surface.put("│", at: Point(column: layout.divider.left, row: row), Theme.separator)
        }
        if layout.header.columns > 0 { chat(on: &surface, layout, days) }
        StatusLine(state: self, caution: model.settings.caution).draw(on: &surface, in: layout.status)
        if let overlay { render(overlay, on: &surface, days) }
    }

    private func chat(on surface: inout Surface, _ layout: SessionLayout, _ days: DayNames) {
        surface.rule(layout.headerRule)
        surface.rule(layout.composerRule)
        if isSwitching {
            surface.center(
                Texts.switching, row: layout.timeline.top + layout.timeline.rows / 2, in: layout.timeline,
                Theme.secondary)
        } else if let trouble {
            let inner = layout.timeline.inset(columns: 2)
            _ = surface.paragraph(trouble.shown, row: inner.top + 1, in: inner, Theme.error)
        } else if let timeline {
            header(of: timeline.chat, on: &surface, layout.header)
            timeline.render(on: &surface, in: layout.timeline, days)
        } else {
            let row = layout.timeline.top + layout.timeline.rows / 2
            surface.center(Texts.noChat, row: row, in: layout.timeline, Theme.secondary)
        }
        ComposerRender(state: self).draw(on: &surface, in: layout.composer)
    }

    private func header(of chat: JID, on surface: inout Surface, _ area: Rect) {
        let row = list.row(of: chat)
        let inner = area.inset(columns: 1)
        var right = inner.right
        if let presence = row?.presence {
            right = surface.putRight("● " + presence.word, row: inner.top, in: inner, presence.style) - 1
        }
        let name = SafeText(row?.name ?? chat.addressText, limit: 256)
        let room = max(0, right - inner.left)
        let end = surface.put(TextLayout.truncate(name, to: room), at: inner.origin, Theme.heading, in: inner)
        guard row?.name != nil else { return }
        let address = TextLayout.truncate(SafeText(chat.addressText, limit: 256), to: max(0, right - end - 2))
        surface.put(address, at: Point(column: end + 2, row: inner.top), Theme.secondary, in: inner)
    }
}

/// The last row: account, connection, encryption, what does not hold here, or for a while a notice instead.
struct StatusLine {
    let state: SessionState
    let caution: SafeText?

    func draw(on surface: inout Surface, in area: Rect) {
        surface.fill(area, Theme.status)
        let inner = area.inset(columns: 1)
        if let notice = state.notice {
            let text = TextLayout.truncate(notice.text, to: inner.columns)
            surface.put(text, at: inner.origin, notice.kind.style.on(Theme.status), in: inner)
            return
        }
        let canConnect = state.status?.profile != nil && state.status?.connection == .offline
        let hint = state.isWorking ? Texts.working(state.progress) : canConnect ? Texts.connectHint : Texts.helpHint
        let right = surface.putRight(hint, row: inner.top, in: inner, Theme.secondary.on(Theme.status))
        let room = Rect(column: inner.left, row: inner.top, columns: right - inner.left - 1, rows: 1)
        var column = room.left
        for (index, (text, style)) in parts.enumerated() {
            if index > 0 {
                let place = Point(column: column, row: room.top)
                column = surface.put("  ·  ", at: place, Theme.secondary.on(Theme.status), in: room)
            }
            let place = Point(column: column, row: room.top)
            column = surface.put(text, at: place, style.on(Theme.status), in: room)
        }
    }

    private var parts: [(SafeText, Style)] { account + (caution.map { [($0, Theme.warning)] } ?? []) }

    private var account: [(SafeText, Style)] {
        guard let name = state.activeProfile else { return [(Texts.noProfile, Theme.secondary)] }
        var parts: [(SafeText, Style)] = [(SafeText(name.text), Theme.heading)]
        guard let status = state.status else { return parts }
        parts.append(connection(status.connection, status.code))
        parts.append(security(status.security))
        if status.outbox > 0 { parts.append((SafeText(Texts.outbox(status.outbox)), Theme.secondary)) }
        return parts
    }

    /// - Parameter code: why it is not online. It stays when the notice that told of it in words has gone.
    private func connection(_ connection: ConnectionState, _ code: ErrorCode?) -> (SafeText, Style) {
        let reason = SafeText(code.map { " (\($0.rawValue))" } ?? "")
        return switch connection {
        case .online: ("● " + Texts.online, Theme.success)
        case .connecting: ("○ " + Texts.connecting, Theme.warning)
        case .waiting: ("○ " + Texts.waiting + reason, Theme.warning)
        case .offline: ("○ " + Texts.offline + reason, code == nil ? Theme.secondary : Theme.error)
        }
    }

    private func security(_ security: Security?) -> (SafeText, Style) {
        if let chat = state.openChat, state.plainChats.contains(chat) { return (Texts.notEncrypted, Theme.warning) }
        return switch security {
        case .omemo2, .omemo: (Texts.encrypted, Theme.success)
        case .plaintext: (Texts.notEncrypted, Theme.warning)
        case .undecryptable, nil: (Texts.encryptionMissing, Theme.warning)
        }
    }
}

extension SessionState.Notice.Kind {
    fileprivate var style: Style {
        switch self {
        case .info: Theme.primary
        case .warning: Theme.warning
        case .error: Theme.error
        }
    }
}
