import Synchronization

/// Ends whatever stage of a longer undertaking is under way: one at a time attaches itself, and hears the error at most
/// once. Everything happens on one executor's thread, so a stage is told inside its own isolation.
final class Interruption: Sendable {
    private struct State {
        var error: NetError?
        var stage: (@Sendable (NetError) -> Void)?
    }

    private let state = Mutex(State())

    /// The stage is told at once if the undertaking has been interrupted already.
    func attach(_ stage: @escaping @Sendable (NetError) -> Void) {
        let error = state.withLock { state in
            if state.error == nil { state.stage = stage }
            return state.error
        }
        if let error { stage(error) }
    }

    func detach() { state.withLock { $0.stage = nil } }

    /// The first error counts.
    func interrupt(_ error: NetError) {
        let stage = state.withLock { state in
            guard state.error == nil else { return nil as (@Sendable (NetError) -> Void)? }
            state.error = error
            defer { state.stage = nil }
            return state.stage
        }
        stage?(error)
    }

    func check() throws(NetError) {
        if let error = state.withLock({ $0.error }) { throw error }
    }
}
