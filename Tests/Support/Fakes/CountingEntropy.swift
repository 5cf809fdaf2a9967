package import Base
import Synchronization

extension Entropy {
    /// Different bytes at each call, the same in each run.
    package static func counting(seed: UInt64 = 1) -> Entropy {
        let state = Box(seed)
        return Entropy { buffer in
            for index in buffer.indices { buffer[index] = state.next() }
        }
    }

    /// SplitMix64.
    private final class Box: Sendable {
        private let state: Mutex<UInt64>
        init(_ seed: UInt64) { state = Mutex(seed) }
        func next() -> UInt8 {
            state.withLock { value in
                value &+= 0x9E37_79B9_7F4A_7C15
                var mixed = value
                mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
                return UInt8(truncatingIfNeeded: mixed ^ (mixed >> 31))
            }
        }
    }
}
