package import Base

/// A secret being typed: bytes of the terminal straight into locked memory. Never a `String`, never echoed.
///
/// Enter ends it, backspace takes a scalar off, Ctrl-U empties it, ESC or Ctrl-C gives up. Sequences (arrows, mouse,
/// focus) are swallowed. Pasted text counts as typed: one line break at its end is dropped, one inside it refuses the
/// whole.
package struct SecretEntry: ~Copyable, Sendable {
    /// What a byte came to.
    package enum Outcome: Sendable, Equatable {
        case pending
        case submitted
        case cancelled
        /// The panic key, Ctrl-\.
        case panic
        /// Too long, or a line break inside a paste: emptied.
        case refused
    }

    private enum State {
        case ground, escape, sequence(count: Int, number: Int), string
    }

    /// Bytes of a secret at most.
    package static let limit = 1024

    private var bytes = SecretBytes(count: SecretEntry.limit)
    private var count = 0
    private var state = State.ground
    private var isPasting = false
    /// A paste had a line break; fine so long as nothing follows it.
    private var hasBreak = false
    private var isRefused = false

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// Milliseconds of silence after which `timeOut()` is due; nil where nothing is pending.
    package var wait: Int? {
        if case .ground = state { nil } else { 50 }
    }

    /// A lone ESC gives up.
    package mutating func timeOut() -> Outcome {
        defer { state = .ground }
        guard case .escape = state else { return .pending }
        wipe()
        return .cancelled
    }

    package mutating func feed(_ byte: UInt8) -> Outcome {
        switch state {
        case .ground: return ground(byte)
        case .escape:
            switch byte {
            case 0x5B, 0x4F: state = .sequence(count: 0, number: 0)
            case 0x5D, 0x50, 0x5F, 0x5E, 0x58: state = .string
            case 0x1B: break
            default: state = .ground
            }
        case .sequence(let count, let number):
            sequence(byte, count, number)
        case .string:
            if byte == 0x07 || byte == 0x1B || byte == 0x5C { state = byte == 0x1B ? .escape : .ground }
        }
        return .pending
    }

    /// The bytes typed; this entry is empty afterwards.
    package mutating func take() -> SecretBytes {
        let secret = bytes.slice(0..<count)
        wipe()
        return secret
    }

    /// Forgets what was typed.
    package mutating func wipe() {
        bytes.withUnsafeMutableBytes { buffer in
            for index in 0..<buffer.count { buffer[index] = 0 }
        }
        count = 0
        hasBreak = false
        isRefused = false
    }

    private mutating func ground(_ byte: UInt8) -> Outcome {
        switch byte {
        case 0x1B: state = .escape
        case 0x0D, 0x0A:
            if isPasting {
                hasBreak = true
                return .pending
            }
            guard isRefused else { return .submitted }
            wipe()
            return .refused
        case 0x03 where !isPasting, 0x04 where !isPasting && count == 0:
            wipe()
            return .cancelled
        case 0x1C where !isPasting:
            wipe()
            return .panic
        case 0x15 where !isPasting: wipe()
        case 0x7F, 0x08: removeLast()
        case 0x00..<0x20: break
        default: append(byte)
        }
        return .pending
    }

    private mutating func sequence(_ byte: UInt8, _ count: Int, _ number: Int) {
        switch byte {
        case 0x30...0x39:
            state = .sequence(count: count + 1, number: min(100_000, number * 10 + Int(byte - 0x30)))
        case 0x40...0x7E:
            if byte == 0x7E, number == 200 { isPasting = true }
            if byte == 0x7E, number == 201 {
                isPasting = false
                hasBreak = false
            }
            state = .ground
        case 0x1B: state = .escape
        default: state = count < 64 ? .sequence(count: count + 1, number: number) : .ground
        }
    }

    private mutating func append(_ byte: UInt8) {
        guard count < SecretEntry.limit, !hasBreak else {
            isRefused = true
            return
        }
        let index = count
        bytes.withUnsafeMutableBytes { $0[index] = byte }
        count += 1
    }

    /// Takes off the last scalar: continuation bytes (10xxxxxx) and the byte that leads them.
    private mutating func removeLast() {
        while count > 0 {
            count -= 1
            let index = count
            let byte = bytes.withUnsafeMutableBytes { buffer in
                let byte = buffer[index]
                buffer[index] = 0
                return byte
            }
            if byte & 0xC0 != 0x80 { return }
        }
    }
}
