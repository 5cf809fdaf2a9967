/// The choice among accounts.
struct SwitcherState: Sendable, Equatable {
    var chosen = 0
}
