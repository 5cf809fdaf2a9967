import Base
import Terminal

extension LockState {
    func render(on surface: inout Surface, boottime: Int64) {
        let area = surface.bounds.centered(columns: 52, rows: 9)
        surface.center(Texts.product, row: area.top, in: area, Theme.accent)
        let middle = area.top + 3
        switch phase {
        case .checking: surface.center(Texts.starting, row: middle, in: area, Theme.secondary)
        case .opening: surface.center(Texts.opening, row: middle, in: area, Theme.secondary)
        case .asking: surface.askSecret(Texts.passcode, row: middle, in: area)
        case .waiting(let until):
            let seconds = max(1, (until - boottime + 999) / 1000)
            surface.center(SafeText(Texts.waitSeconds(seconds)), row: middle, in: area, Theme.warning)
        case .broken(let failure):
            _ = surface.paragraph(failure.shown, row: middle, in: area, Theme.error)
            surface.center(Texts.leaveKeys, row: area.bottom - 1, in: area, Theme.secondary)
            return
        }
        if isRefused {
            surface.center(Texts.secretRefused, row: middle + 2, in: area, Theme.warning)
        } else if let notice {
            surface.center(notice.shown, row: middle + 2, in: area, Theme.error)
        } else if phase == .asking {
            surface.center(Texts.passcodeHint, row: middle + 2, in: area, Theme.secondary)
        }
        surface.center(Texts.lockKeys, row: area.bottom - 1, in: area, Theme.secondary)
    }
}

extension Surface {
    /// A label and a cursor behind it. What is typed never shows, nor how long it is.
    mutating func askSecret(_ label: SafeText, row: Int, in area: Rect) {
        let width = label.width + 3
        let left = area.left + max(0, (area.columns - width) / 2)
        put(label, at: Point(column: left, row: row), Theme.heading, in: area)
        put("›", at: Point(column: left + label.width + 1, row: row), Theme.accent, in: area)
        cursor = Point(column: min(left + width, area.right - 1), row: row)
    }
}
