internal import CPlatform
import Synchronization

/// The one locked range of memory in which every key and passcode of this process lives.
///
/// 256 KiB, locked (`mlock`), left out of core dumps and wiped in forked children. Blocks are runs of 32-byte units,
/// first fit. Running out is a defect of ours (a leak of secrets), so it traps.
package enum SecretArena {
    package static let capacity = 256 * 1024
    private static let unit = 32

    private struct State: ~Copyable {
        /// An address rather than a pointer, so that the lock may hand it out.
        let base: UInt
        let isLocked: Bool
        var used: [Bool]
    }

    private static let state: Mutex<State> = {
        var locked = false
        guard let base = postern_arena_map(capacity, &locked) else {
            preconditionFailure("no memory for keys")
        }
        return Mutex(
            State(base: UInt(bitPattern: base), isLocked: locked, used: Array(repeating: false, count: capacity / unit))
        )
    }()

    /// Whether the kernel agreed to keep the arena out of swap.
    package static var isLocked: Bool { state.withLock { $0.isLocked } }

    /// Bytes that secrets take up now: what tests compare to find one that is never let go.
    package static var bytesInUse: Int { state.withLock { state in state.used.count { $0 } * unit } }

    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let units = max(1, (count + unit - 1) / unit)
        let address: UInt = state.withLock { state in
            var run = 0
            for index in state.used.indices {
                run = state.used[index] ? 0 : run + 1
                guard run == units else { continue }
                let first = index - units + 1
                for taken in first...index { state.used[taken] = true }
                return state.base + UInt(first * unit)
            }
            preconditionFailure("the arena for keys is full")
        }
        guard let pointer = UnsafeMutableRawPointer(bitPattern: address) else {
            preconditionFailure("the arena has an address")
        }
        return pointer
    }

    static func free(_ pointer: UnsafeMutableRawPointer, _ count: Int) {
        let units = max(1, (count + unit - 1) / unit)
        postern_wipe(pointer, units * unit)
        let address = UInt(bitPattern: pointer)
        state.withLock { state in
            let first = Int(address - state.base) / unit
            for index in first..<(first + units) { state.used[index] = false }
        }
    }
}
