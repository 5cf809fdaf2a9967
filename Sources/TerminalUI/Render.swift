import Terminal

extension Model {
    /// The screen. The same model gives the same cells.
    func render() -> Surface {
        var surface = Surface(size: size)
        guard size.columns >= 20, size.rows >= 6 else {
            surface.center(Texts.tooSmall, row: size.rows / 2, in: surface.bounds, Theme.primary)
            return surface
        }
        switch screen {
        case .lock(let state): state.render(on: &surface, boottime: boottime)
        case .create(let state): state.render(on: &surface)
        case .session(let state): state.render(on: &surface, self)
        case .closing:
            surface.center(Texts.closing, row: size.rows / 2, in: surface.bounds, Theme.secondary)
        }
        return surface
    }
}
