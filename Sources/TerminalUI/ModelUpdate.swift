import Application
import Base
import Terminal

extension Model {
    /// Takes in what happened. The same model and input give the same model and effects.
    mutating func update(_ input: Input) -> [Effect] {
        if input.isActivity { lastActivity = boottime }
        switch input {
        case .resized(let size):
            if case .session(var state) = screen {
                state.resized(from: self.size, to: size)
                screen = .session(state)
            }
            self.size = size
            return [.redraw]
        case .tick(let now, let boottime):
            let isSuspended = boottime - self.boottime > 30_000
            self.now = now
            self.boottime = boottime
            let isIdle = settings.idleLimit.map { boottime - lastActivity >= $0 } ?? false
            if isSuspended || isIdle { return lockSession(.locked) }
        case .terminalGone: return close(.hungUp)
        // Also at the prompt and while a passcode is tried: whoever asks waits for the end of this process.
        case .lockWanted: return close(.locked)
        case .answer(.closed(let end)): return [.end(end)]
        case .key(.control("\\")), .key(KeyPress(.character("\\"), [.control, .alt])), .secretEnded(.panic):
            return close(.panicked)
        default: break
        }
        switch screen {
        case .lock(var state):
            let effects = state.update(input, boottime: boottime)
            screen = .lock(state)
            if case .answer(.unlocked(nil)) = input { return openSession() }
            return effects
        case .create(var state):
            let effects = state.update(input)
            screen = .create(state)
            return effects
        case .session(var state):
            let effects = state.update(input, SessionContext(size: size, boottime: boottime))
            screen = .session(state)
            if let locking = effects.first(where: \.isLock) {
                screen = .closing
                return [locking]
            }
            return effects
        case .closing: return []
        }
    }

    private mutating func openSession() -> [Effect] {
        lastActivity = boottime
        screen = .session(SessionState())
        // Nothing connects by itself: a person may open the space where going online would show.
        return [.redraw] + SessionState.loadAll
    }

    /// Locks what is open; a lock screen stays as it is.
    private mutating func lockSession(_ end: ScreenEnd) -> [Effect] {
        guard case .session = screen else { return [] }
        screen = .closing
        return [.lock(end)]
    }

    private mutating func close(_ end: ScreenEnd) -> [Effect] {
        if case .closing = screen { return [] }
        let isOpen = if case .session = screen { true } else { false }
        screen = .closing
        return [isOpen ? .lock(end) : .end(end)]
    }
}

extension Effect {
    fileprivate var isLock: Bool { if case .lock = self { true } else { false } }
}
