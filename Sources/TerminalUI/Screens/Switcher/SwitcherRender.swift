import Application
import Terminal

extension SwitcherState {
    func render(on surface: inout Surface, _ profiles: [ProfileView]) {
        let pane = surface.pane(
            title: Texts.switcher, keys: Texts.switcherKeys, columns: 56, rows: max(1, min(profiles.count, 16)))
        guard !profiles.isEmpty else {
            surface.put(Texts.noProfile, at: pane.origin, Theme.secondary, in: pane)
            return
        }
        let current = min(chosen, profiles.count - 1)
        let first = max(0, current - pane.rows + 1)
        for (offset, profile) in profiles.dropFirst(first).prefix(pane.rows).enumerated() {
            let row = Rect(column: pane.left, row: pane.top + offset, columns: pane.columns, rows: 1)
            let isChosen = first + offset == current
            if isChosen { surface.fill(row, Theme.selected) }
            let mark: SafeText = profile.isActive ? "● " : "  "
            let end = surface.put(
                mark + SafeText(profile.settings.name.text), at: row.origin,
                isChosen ? Theme.selectedHeading : Theme.heading, in: row)
            let address = SafeText(profile.settings.jid.addressText, limit: 256)
            surface.put(
                TextLayout.truncate(address, to: row.right - end - 2), at: Point(column: end + 2, row: row.top),
                isChosen ? Theme.selectedSecondary : Theme.secondary, in: row)
        }
    }
}
