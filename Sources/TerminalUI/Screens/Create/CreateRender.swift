import Base
import Terminal

extension CreateState {
    func render(on surface: inout Surface) {
        let area = surface.bounds.centered(columns: 64, rows: 16)
        surface.center(Texts.product, row: area.top, in: area, Theme.accent)
        surface.center(Texts.createTitle, row: area.top + 1, in: area, Theme.heading)
        var row = area.top + 3
        switch phase {
        case .first, .again:
            for advice in Texts.createAdvice { row = surface.paragraph(advice, row: row, in: area, Theme.primary) + 1 }
            let label = phase == .first ? Texts.createFirst : Texts.createAgain
            surface.askSecret(label, row: row, in: area)
            row += 2
            if let notice { _ = surface.paragraph(notice.text, row: row, in: area, Theme.error) }
            let foot = notice == nil ? row : min(row + 3, area.bottom - 1)
            surface.center(
                notice == nil ? Texts.secretHint : Texts.lockKeys, row: foot, in: area, Theme.secondary)
        case .making(let done, let of):
            surface.center(Texts.createMaking, row: row, in: area, Theme.primary)
            surface.bar(done: done, of: of, row: row + 2, in: area)
        case .weak(_, let failure):
            row = surface.paragraph(failure.shown, row: row, in: area, Theme.warning) + 1
            _ = surface.paragraph(Texts.createWeak, row: row, in: area, Theme.primary)
        case .broken(let failure):
            row = surface.paragraph(failure.shown, row: row, in: area, Theme.error) + 1
            surface.center(Texts.leaveKeys, row: row, in: area, Theme.secondary)
        }
    }
}

extension CreateState.Notice {
    fileprivate var text: SafeText {
        switch self {
        case .differs: Texts.createDiffers
        case .refused: Texts.secretRefused
        case .failure(let failure): failure.shown
        }
    }
}

extension Surface {
    /// How far something has come.
    mutating func bar(done: Int64, of total: Int64, row: Int, in area: Rect) {
        let width = max(1, area.columns - 8)
        let part = total > 0 ? Int(min(total, max(0, done)) * Int64(width) / total) : 0
        let percent = total > 0 ? min(100, max(0, done * 100 / total)) : 0
        put(
            SafeText(String(repeating: "━", count: part)), at: Point(column: area.left, row: row), Theme.accent,
            in: area)
        put(
            SafeText(String(repeating: "─", count: width - part)), at: Point(column: area.left + part, row: row),
            Theme.separator, in: area)
        putRight(SafeText("\(percent) %"), row: row, in: area, Theme.secondary)
    }
}
