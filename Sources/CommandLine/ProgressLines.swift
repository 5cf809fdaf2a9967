import Application
import Base
import Synchronization

/// Runs long work and tells its progress as lines: at most one for every ten percent, all of them before this returns.
func withProgressLines(
    to sink: any LineSink,
    _ work: (_ report: @escaping @Sendable (_ done: Int64, _ of: Int64) -> Void) async -> Result<Void, Failure>
) async throws(Failure) {
    let (tenths, lines) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(10))
    let last = Mutex(0)
    let result = await withTaskGroup(of: Void.self) { group in
        group.addTask { for await tenth in tenths { await sink.write(Array("  \(tenth * 10) %".utf8)) } }
        let result = await work { done, whole in
            let tenth = whole > 0 ? Int(done * 10 / whole) : 0
            let isNew = last.withLock { last in
                defer { last = max(last, tenth) }
                return tenth > last
            }
            if isNew { lines.yield(tenth) }
        }
        lines.finish()
        return result
    }
    try result.get()
}
