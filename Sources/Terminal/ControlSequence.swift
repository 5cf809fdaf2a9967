/// A finished CSI sequence from a terminal, and what it means.
struct ControlSequence {
    enum Meaning {
        case event(InputEvent)
        case pasteBegins
        /// That many bytes belong to it and mean nothing to us (X10 mouse).
        case bytesFollow(Int)
        case nothing
    }

    let parameters: [UInt8]
    let final: UInt8

    var meaning: Meaning {
        if parameters.first == 0x3C { return mouse }
        if parameters.first == 0x5B { return linuxFunction }
        guard parameters.allSatisfy({ (0x30...0x3B).contains($0) }) else { return .nothing }
        let numbers = self.numbers(parameters[...])
        switch final {
        case 0x49 where parameters.isEmpty: return .event(.focus(true))
        case 0x4F where parameters.isEmpty: return .event(.focus(false))
        case 0x4D where parameters.isEmpty: return .bytesFollow(3)
        case 0x5A: return .event(.key(KeyPress(.tab, .shift)))
        case 0x7E: return tilde(numbers)
        case 0x75: return unicodeKey(code: numbers.first ?? 0, modifier: numbers.dropFirst().first ?? 1)
        default:
            guard let key = ControlSequence.letterKey(final) else { return .nothing }
            return .event(.key(KeyPress(key, modifiers(numbers.dropFirst().first ?? 1))))
        }
    }

    /// The key of `ESC O byte` (VT100 application mode).
    static func ss3Key(_ byte: UInt8) -> Key? { byte == 0x4D ? .enter : letterKey(byte) }

    private static func letterKey(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x41: .up
        case 0x42: .down
        case 0x43: .right
        case 0x44: .left
        case 0x46: .end
        case 0x48: .home
        case 0x50...0x53: .function(Int(byte) - 0x4F)
        default: nil
        }
    }

    private func tilde(_ numbers: [Int]) -> Meaning {
        guard let code = numbers.first else { return .nothing }
        if code == 200 { return .pasteBegins }
        let modifier = numbers.dropFirst().first ?? 1
        // xterm's modifyOtherKeys: CSI 27 ; modifier ; code ~
        if code == 27, numbers.count == 3 { return unicodeKey(code: numbers[2], modifier: modifier) }
        let key: Key
        switch code {
        case 1, 7: key = .home
        case 2: key = .insert
        case 3: key = .delete
        case 4, 8: key = .end
        case 5: key = .pageUp
        case 6: key = .pageDown
        case 11...15: key = .function(code - 10)
        case 17...21: key = .function(code - 11)
        case 23...26: key = .function(code - 12)
        case 28, 29: key = .function(code - 13)
        case 31...34: key = .function(code - 14)
        default: return .nothing
        }
        return .event(.key(KeyPress(key, modifiers(modifier))))
    }

    private func unicodeKey(code: Int, modifier: Int) -> Meaning {
        let held = modifiers(modifier)
        switch code {
        case 8, 127: return .event(.key(KeyPress(.backspace, held)))
        case 9: return .event(.key(KeyPress(.tab, held)))
        case 13: return .event(.key(KeyPress(.enter, held)))
        case 27: return .event(.key(KeyPress(.escape, held)))
        // The keypad and lone modifier keys of the kitty protocol live in the private use area.
        case 0xE000...0xF8FF: return .nothing
        default:
            guard code >= 0x20, !(0x7F..<0xA0).contains(code), let scalar = Unicode.Scalar(UInt32(code)) else {
                return .nothing
            }
            return .event(.key(KeyPress(.character(scalar), held)))
        }
    }

    private var linuxFunction: Meaning {
        guard parameters.count == 1, (0x41...0x45).contains(final) else { return .nothing }
        return .event(.key(KeyPress(.function(Int(final) - 0x40))))
    }

    /// SGR mouse (xterm 1006): CSI < buttons ; column ; row M, or m on release.
    private var mouse: Meaning {
        let numbers = self.numbers(parameters.dropFirst())
        guard final == 0x4D || final == 0x6D, numbers.count == 3, (1...10_000).contains(numbers[1]),
            (1...10_000).contains(numbers[2])
        else { return .nothing }
        let bits = numbers[0]
        var held: Modifiers = []
        if bits & 4 != 0 { held.insert(.shift) }
        if bits & 8 != 0 { held.insert(.alt) }
        if bits & 16 != 0 { held.insert(.control) }
        let point = Point(column: numbers[1] - 1, row: numbers[2] - 1)
        if bits & 64 != 0 {
            guard bits & 3 < 2, final == 0x4D else { return .nothing }
            return .event(.mouse(MouseEvent(bits & 1 == 0 ? .wheelUp : .wheelDown, .other, at: point, held)))
        }
        let button: MouseEvent.Button =
            switch bits & 3 {
            case 0: .left
            case 1: .middle
            case 2: .right
            default: .other
            }
        let action: MouseEvent.Action = final == 0x6D ? .release : bits & 32 != 0 ? .drag : .press
        return .event(.mouse(MouseEvent(action, button, at: point, held)))
    }

    private func modifiers(_ number: Int) -> Modifiers {
        Modifiers(rawValue: UInt8(truncatingIfNeeded: max(0, number - 1) & 7))
    }

    /// Numbers between semicolons; after a colon come details we do not use. An empty one counts 1, none exceeds 10⁶.
    private func numbers(_ bytes: ArraySlice<UInt8>) -> [Int] {
        guard !bytes.isEmpty else { return [] }
        return bytes.split(separator: 0x3B, omittingEmptySubsequences: false).map { part in
            var number = 0
            let digits = part.prefix { $0 != 0x3A }
            for digit in digits where (0x30...0x39).contains(digit) {
                number = min(1_000_000, number * 10 + Int(digit - 0x30))
            }
            return digits.isEmpty ? 1 : number
        }
    }
}
