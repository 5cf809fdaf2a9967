import Base
import Domain
import Terminal

extension SetupState {
    func render(on surface: inout Surface) {
        let pane = surface.pane(title: title, keys: keys, columns: 64, rows: 7)
        var row = pane.top
        if let advice {
            row = surface.paragraph(advice, row: row, in: pane, Theme.primary) + 1
        }
        switch step {
        case .address, .firstChat: surface.entry(entry, row: row, in: pane)
        case .password:
            surface.askSecret(Texts.setupPassword, row: row, in: pane)
            if isRefused { surface.center(Texts.secretRefused, row: row + 2, in: pane, Theme.warning) }
        case .plain: break
        case .adding: surface.center(Texts.setupAdding, row: row, in: pane, Theme.secondary)
        case .connecting: surface.center(Texts.setupConnecting, row: row, in: pane, Theme.secondary)
        }
        if let failure { _ = surface.paragraph(failure.shown, row: row + 2, in: pane, Theme.error) }
    }

    private var title: SafeText {
        switch step {
        case .address, .password, .adding, .connecting: Texts.setupTitle
        case .plain: Texts.setupPlainTitle
        case .firstChat: Texts.setupChatTitle
        }
    }

    private var advice: SafeText? {
        switch step {
        case .address: Texts.setupAdvice
        case .plain: Texts.setupPlain
        case .firstChat: Texts.setupChat
        case .password(let settings): SafeText(settings.jid.addressText, limit: 256)
        case .adding, .connecting: nil
        }
    }

    private var keys: SafeText {
        switch step {
        case .address, .firstChat: Texts.setupKeys
        case .plain: Texts.setupPlainKeys
        case .password: Texts.secretKeys
        case .adding, .connecting: .empty
        }
    }
}
