package import Base

/// The events that `wait` looks through: those since the last `wait`, at most 10,000, the oldest giving way.
///
/// A wait takes events off the front until one matches; what came after the match stays for the next.
package actor EventQueue {
    private static let bound = 10_000
    private var waiting: [JSON] = []
    private var waiter: (id: Int, event: String, conditions: [Command.Condition], CheckedContinuation<JSON?, Never>)?
    private var lastWait = 0

    package init() {}

    /// Takes events that were told.
    package func add(_ events: [JSON]) { for event in events { add(event) } }

    package func add(_ event: JSON) {
        if let current = waiter {
            guard matches(event, current.event, current.conditions) else { return }
            waiter = nil
            current.3.resume(returning: event)
            return
        }
        if waiting.count == Self.bound { waiting.removeFirst() }
        waiting.append(event)
    }

    /// Throws `wait.timeout` when `milliseconds` pass first.
    package func next(
        _ event: String, _ conditions: [Command.Condition], within milliseconds: Int64, time: TimeSource
    ) async throws(Failure) -> JSON {
        if let present = take(event, conditions) { return present }
        lastWait += 1
        let id = lastWait
        let found = await withTaskGroup(of: JSON?.self) { group in
            group.addTask { await self.suspend(id, event, conditions) }
            group.addTask {
                // A cancelled sleep means that the event came.
                try? await time.sleep(milliseconds)
                await self.giveUp(id)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            giveUp(id)
            return first
        }
        guard let found else { throw Failure(.waitTimeout) }
        return found
    }

    private func suspend(_ id: Int, _ event: String, _ conditions: [Command.Condition]) async -> JSON? {
        await withCheckedContinuation { continuation in
            // The time-out may have come first.
            guard id == lastWait, !Task.isCancelled else { return continuation.resume(returning: nil) }
            // Events may have come since `next` looked.
            if let present = take(event, conditions) {
                continuation.resume(returning: present)
            } else {
                waiter = (id, event, conditions, continuation)
            }
        }
    }

    /// Takes events off the front until one matches.
    private func take(_ event: String, _ conditions: [Command.Condition]) -> JSON? {
        while !waiting.isEmpty {
            let candidate = waiting.removeFirst()
            if matches(candidate, event, conditions) { return candidate }
        }
        return nil
    }

    private func giveUp(_ id: Int) {
        guard let current = waiter, current.id == id else { return }
        waiter = nil
        current.3.resume(returning: nil)
    }

    private func matches(_ candidate: JSON, _ event: String, _ conditions: [Command.Condition]) -> Bool {
        guard candidate["event"] == .string(event) else { return false }
        return conditions.allSatisfy { condition in
            candidate.value(at: condition.key)?.plainText == condition.value
        }
    }
}

extension JSON {
    /// The member named by a dotted path; a plain name is also looked for one level down (`body` finds `message.body`).
    fileprivate func value(at path: String) -> JSON? {
        var value = self
        for key in path.split(separator: ".") {
            guard let next = value[String(key)] ?? value["message"]?[String(key)] else { return nil }
            value = next
        }
        return value
    }

    fileprivate var plainText: String? {
        switch self {
        case .string(let text): text
        case .number(let number): String(number)
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}
