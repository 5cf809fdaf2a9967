/// Growing delays between attempts: doubling from the first up to a cap, shortened by jitter so that many clients do
/// not come back in step.
package struct Backoff: Sendable, Equatable {
    /// 1, 2, 4 … 300 s between submissions of a message.
    package static let outbox = Backoff(firstMilliseconds: 1000, capMilliseconds: 300_000)
    /// 1, 2, 4 … 60 s between connections.
    package static let connection = Backoff(firstMilliseconds: 1000, capMilliseconds: 60_000)

    package let firstMilliseconds: Int64
    package let capMilliseconds: Int64

    /// The delay after the `attempt`-th failure, counted from 1.
    package func delay(attempt: Int, jitter: Jitter) -> Int64 {
        let doublings = min(max(attempt, 1) - 1, 32)
        let full = min(firstMilliseconds << Int64(doublings), capMilliseconds)
        return full - full * Int64(jitter.perMille) / 4000
    }
}

/// A random share, drawn outside of the machines: 0 leaves a delay whole, 999 takes nearly a quarter of it.
package struct Jitter: Sendable, Equatable {
    package static let none = Jitter(perMille: 0)
    package let perMille: Int

    package init(perMille: Int) { self.perMille = min(max(perMille, 0), 999) }
}
