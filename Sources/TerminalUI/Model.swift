import Base
import Terminal

/// All that the screen shows. Moved by `update` alone; drawn by `render` alone.
struct Model: Sendable {
    enum Screen: Sendable {
        case lock(LockState)
        case create(CreateState)
        case session(SessionState)
        /// Everything is being closed; nothing of a person's shows any more.
        case closing
    }

    var screen: Screen
    var size: Size
    var now: Timestamp
    /// BOOTTIME in milliseconds.
    var boottime: Int64
    var lastActivity: Int64
    let settings: Settings

    struct Settings: Sendable {
        /// Milliseconds without a key after which the session locks; nil for never.
        var idleLimit: Int64? = 5 * 60_000
        var clock: LocalClock
        /// For the status line.
        var caution: SafeText?
    }

    /// - Parameter creates: whether to make a vault rather than open one.
    init(creates: Bool, size: Size, now: Timestamp, boottime: Int64, settings: Settings) {
        screen = creates ? .create(CreateState()) : .lock(LockState())
        self.size = size
        self.now = now
        self.boottime = boottime
        lastActivity = boottime
        self.settings = settings
    }

    /// What is to be done before anything is typed.
    var firstEffects: [Effect] {
        if case .lock = screen { [.checkReady] } else { [] }
    }

    /// Whether bytes typed now are a secret's and must not become text.
    var wantsSecret: Bool {
        switch screen {
        case .lock(let state): state.wantsSecret
        case .create(let state): state.wantsSecret
        case .session(let state): state.wantsSecret
        case .closing: true
        }
    }

    var dayNames: DayNames { DayNames(now: now, clock: settings.clock) }
}
