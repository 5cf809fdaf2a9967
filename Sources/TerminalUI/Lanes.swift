/// Where an effect waits for its turn. Sends keep their order, commands theirs; neither waits for the other.
enum Lane: CaseIterable {
    case sends, orders

    /// nil: the effect starts at once, beside others.
    init?(_ effect: Effect) {
        switch effect {
        case .send, .retry: self = .sends
        case .command, .use, .addAccount, .changeAccount, .replaceAccount, .addContact, .acceptContact: self = .orders
        case .checkReady, .unlock, .create, .load, .older, .markSeen, .connect, .search, .giveSecret, .giveWord, .bell,
            .redraw, .lock, .end:
            return nil
        }
    }
}

/// Sees to it that each load is under way at most once.
struct RunningLoads {
    private var running: Set<Load> = []
    private var again: Set<Load> = []

    /// Whether to start it now; otherwise it runs once more when it is done.
    mutating func begin(_ load: Load) -> Bool {
        if running.insert(load).inserted { return true }
        again.insert(load)
        return false
    }

    /// - Returns: whether it has to run once more.
    mutating func end(_ load: Load) -> Bool {
        if again.remove(load) != nil { return true }
        running.remove(load)
        return false
    }
}
