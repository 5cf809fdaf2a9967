import Application
import Base
import Synchronization

/// Runs long work and tells its progress as lines: `heading` once there is any, and at most one for every ten percent,
/// all of them before this returns. Work that fails before its first report is never said to have begun.
func withProgressLines<Value: Sendable>(
    to sink: any LineSink, heading: String,
    _ work: (_ report: @escaping @Sendable (_ done: Int64, _ of: Int64) -> Void) async -> Result<Value, Failure>
) async throws(Failure) -> Value {
    let (tenths, lines) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(11))
    let last = Mutex(-1)
    let result = await withTaskGroup(of: Void.self) { group in
        group.addTask {
            var isFirst = true
            for await tenth in tenths {
                if isFirst { await sink.write(Array(heading.utf8)) }
                isFirst = false
                if tenth > 0 { await sink.write(Array("  \(tenth * 10) %".utf8)) }
            }
        }
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
    return try result.get()
}

/// The outcome of `work` as a value.
func result<Value>(_ work: () async throws(Failure) -> Value) async -> Result<Value, Failure> {
    do throws(Failure) { return .success(try await work()) } catch { return .failure(error) }
}
