import Application
import Base
import CommandLine
import Domain
import Terminal

extension SessionState {
    func render(_ overlay: Overlay, on surface: inout Surface, _ days: DayNames) {
        surface.cursor = nil
        switch overlay {
        case .switcher(let state): state.render(on: &surface, profiles)
        case .search(let state): state.render(on: &surface, list, days)
        case .help(let scroll): HelpRender(scroll: scroll).draw(on: &surface)
        case .output(let state): state.render(on: &surface)
        case .newChat(let editor, let failure):
            let pane = surface.pane(title: Texts.newChat, keys: Texts.newChatKeys, columns: 56, rows: 3)
            surface.entry(editor, row: pane.top, in: pane)
            if let failure { _ = surface.paragraph(failure.shown, row: pane.top + 1, in: pane, Theme.error) }
        case .prompt(let question, let isRefused):
            let pane = surface.pane(title: question.purpose.title, keys: Texts.secretKeys, columns: 56, rows: 4)
            surface.askSecret(question.purpose.label, row: pane.top, in: pane)
            let warning = isRefused ? Texts.secretRefused : question.hasDiffered ? Texts.secretDiffers : nil
            let note = warning ?? Texts.secretHint
            _ = surface.paragraph(
                note, row: pane.top + 2, in: pane, warning == nil ? Theme.secondary : Theme.warning)
        case .confirm(let consequence, let editor):
            let columns = min(66, surface.size.columns - 8)
            let text = TextLayout.wrap(SafeText(consequence.text), columns: max(10, columns))
            let pane = surface.pane(
                title: Texts.confirm, keys: Texts.confirmKeys, columns: columns, rows: text.count + 4)
            let row = surface.paragraph(SafeText(consequence.text), row: pane.top, in: pane, Theme.warning)
            surface.put(
                SafeText(consequence.question), at: Point(column: pane.left, row: row + 1), Theme.primary, in: pane)
            surface.entry(editor, row: row + 2, in: pane)
        case .plain:
            let pane = surface.pane(title: Texts.plainTitle, keys: Texts.plainKeys, columns: 66, rows: 3)
            _ = surface.paragraph(Texts.plainBody, row: pane.top, in: pane, Theme.warning)
        case .setup(let state): state.render(on: &surface)
        }
    }
}

extension SecretPurpose {
    fileprivate var title: SafeText {
        switch self {
        case .passcode: "Current passcode"
        case .newPasscode: "New passcode"
        case .repeatedPasscode: "The new passcode once more"
        case .otherPasscode: "Passcode of the second space"
        case .duressPasscode: "Duress passcode"
        case .password: Texts.setupPassword
        }
    }

    fileprivate var label: SafeText { self == .password ? "Password" : Texts.passcode }
}
