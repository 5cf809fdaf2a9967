import Base
import CommandLine
import Domain
import Terminal

extension SetupState {
    func render(on surface: inout Surface) {
        let pane = surface.pane(title: title, keys: keys, columns: 64, rows: 9)
        var row = pane.top
        if let advice {
            row = surface.paragraph(advice, row: row, in: pane, Theme.primary) + 1
        }
        switch step {
        case .address, .firstChat, .server: surface.entry(entry, row: row, in: pane)
        case .password:
            surface.askSecret(Texts.setupPassword, row: row, in: pane)
            if isRefused { surface.center(Texts.secretRefused, row: row + 2, in: pane, Theme.warning) }
        case .failed: failed(on: &surface, row: row, in: pane)
        case .plain, .tls: break
        case .adding: surface.center(Texts.setupAdding, row: row, in: pane, Theme.secondary)
        case .changing: surface.center(Texts.setupChanging, row: row, in: pane, Theme.secondary)
        case .connecting: surface.center(Texts.setupConnecting, row: row, in: pane, Theme.secondary)
        }
        if isServerWrong {
            surface.put(
                Texts.setupServerWrong, at: Point(column: pane.left, row: row + 2), Theme.error, in: pane)
        }
        if let failure { _ = surface.paragraph(failure.shown, row: row + 2, in: pane, Theme.error) }
    }

    /// Why not, and what can be corrected.
    private func failed(on surface: inout Surface, row: Int, in pane: Rect) {
        var row = row
        if let reason { row = surface.paragraph(reason.shown, row: row, in: pane, Theme.error) + 1 }
        row = surface.paragraph(Texts.setupFailed, row: row, in: pane, Theme.primary)
        for (key, use) in Texts.setupChoices {
            surface.put(SafeText(key), at: Point(column: pane.left + 2, row: row), Theme.heading, in: pane)
            surface.put(use, at: Point(column: pane.left + 5, row: row), Theme.primary, in: pane)
            row += 1
        }
    }

    private var title: SafeText {
        switch step {
        case .address, .password, .adding, .connecting, .changing: Texts.setupTitle
        case .server, .tls: Texts.setupServerTitle
        case .plain: Texts.setupPlainTitle
        case .failed: Texts.setupFailedTitle
        case .firstChat: Texts.setupChatTitle
        }
    }

    private var advice: SafeText? {
        switch step {
        case .address: Texts.setupAdvice
        case .plain: Texts.setupPlain
        case .firstChat: Texts.setupChat
        case .server: Texts.setupServer
        case .tls: Texts.setupTLS
        case .password(let settings): SafeText(settings.jid.addressText, limit: 256)
        case .failed: account.map { SafeText($0.jid.addressText + place($0), limit: 512) }
        case .adding, .connecting, .changing: nil
        }
    }

    /// The server, where it was set by hand.
    private func place(_ account: ProfileSettings) -> String {
        account.server.map { ", at \($0.text)" } ?? ""
    }

    private var keys: SafeText {
        switch step {
        case .address, .firstChat: account == nil || step == .firstChat ? Texts.setupKeys : Texts.setupBackKeys
        case .server: Texts.setupBackKeys
        case .plain: Texts.setupPlainKeys
        case .tls: Texts.setupTLSKeys
        case .failed: Texts.setupFailedKeys
        case .password: Texts.secretKeys
        case .adding, .connecting, .changing: .empty
        }
    }
}
