import Base
import Domain
import Terminal

/// Finding messages of the account.
struct SearchState: Sendable, Equatable {
    var query = LineEditor(limit: 256)
    /// What the results answer; nil before the first search.
    var answered: String?
    var results: [Message] = []
    var failure: Failure?
    var isSearching = false
    var chosen = 0
}
