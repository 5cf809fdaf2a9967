import Synchronization

/// Inputs on their way to the loop, in the order they came.
///
/// Keys and events may come faster than a slow terminal takes frames. Above the bound further ones are left out, and the
/// screen is told to read anew where events were among them. Nothing else is ever left out: answers, secrets and ends
/// each follow one thing that was asked for, so there are few of them.
final class InputQueue: Sendable {
    /// Inputs that may be left out and still wait.
    static let bound = 16_384

    private struct State {
        var inputs: [Input] = []
        /// How many of them were taken already.
        var taken = 0
        var optional = 0
        var leftEventsOut = false
    }
    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init() { (arrivals, arrival) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    func send(_ input: Input) {
        state.withLock { state in
            guard input.isOptional else { return state.inputs.append(input) }
            guard state.optional < Self.bound else {
                if case .app = input { state.leftEventsOut = true }
                return
            }
            state.optional += 1
            state.inputs.append(input)
        }
        arrival.yield()
    }

    /// Hands inputs out to one loop.
    struct Reader {
        fileprivate let queue: InputQueue
        fileprivate var arrivals: AsyncStream<Void>.Iterator

        /// The next input; nil where the task was cancelled.
        mutating func next() async -> Input? {
            while true {
                if let input = queue.take() { return input }
                guard await arrivals.next() != nil else { return nil }
            }
        }
    }

    func reader() -> Reader { Reader(queue: self, arrivals: arrivals.makeAsyncIterator()) }

    private func take() -> Input? {
        state.withLock { state in
            guard state.taken < state.inputs.count else {
                guard state.leftEventsOut else { return nil }
                state.leftEventsOut = false
                return .app(.changed)
            }
            let input = state.inputs[state.taken]
            state.taken += 1
            if input.isOptional { state.optional -= 1 }
            if state.taken == state.inputs.count || state.taken > 1_024 {
                state.inputs.removeFirst(state.taken)
                state.taken = 0
            }
            return input
        }
    }
}

extension Input {
    /// Whether the session stays sound without it.
    fileprivate var isOptional: Bool {
        switch self {
        case .key, .paste, .mouse, .focus, .tick: true
        case .app(.screen): false
        case .app: true
        case .resized, .secret, .secretEnded, .terminalGone, .lockWanted, .secretWanted, .wordWanted, .answer:
            false
        }
    }
}
