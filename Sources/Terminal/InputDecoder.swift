/// Bytes of a terminal to events. Knows no clock: when nothing more came for `wait` milliseconds, call `timeOut()`.
///
/// Understands UTF-8 (also split anywhere), CSI and SS3 keys with modifiers (xterm, the Linux console, `CSI u`),
/// bracketed paste, SGR mouse (1006), focus (1004). Everything else that is a sequence is swallowed whole; memory is
/// bounded whatever comes.
package struct InputDecoder: Sendable {
    private enum State: Sendable {
        case ground
        case utf8(collected: [UInt8], needed: Int, Modifiers)
        case escape
        case csi([UInt8])
        /// A CSI sequence too long to be one, until its final byte.
        case overlong
        case ss3
        /// OSC, DCS, APC, PM, SOS: until ST or BEL. `opener` is the byte after ESC.
        case string(opener: UInt8, count: Int, isEscaped: Bool)
        /// So many bytes that mean nothing to us.
        case skip(Int)
        case paste
    }

    private var state = State.ground
    private var paste = PasteCollector()

    /// Bytes of a CSI sequence that are kept, and of a string that are swallowed.
    private static let sequenceLimit = 64
    private static let stringLimit = 4096

    package init() {}

    /// Milliseconds of silence after which `timeOut()` is due; nil where nothing is pending.
    package var wait: Int? {
        switch state {
        case .ground: nil
        case .paste: paste.isEmpty ? nil : 2_000
        case .escape, .csi, .ss3, .string, .utf8, .overlong, .skip: 50
        }
    }

    package mutating func feed(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch state {
        case .ground: ground(byte, [], &events)
        case .utf8(let collected, let needed, let modifiers):
            continueScalar(byte, collected, needed, modifiers, &events)
        case .escape: escape(byte, &events)
        case .csi(let parameters): control(byte, parameters, &events)
        case .overlong: if (0x40...0x7E).contains(byte) || byte < 0x20 { state = .ground }
        case .ss3:
            state = .ground
            if let key = ControlSequence.ss3Key(byte) { events.append(.key(KeyPress(key))) }
        case .string(let opener, let count, let isEscaped): string(byte, opener, count, isEscaped)
        case .skip(let count): state = count > 1 ? .skip(count - 1) : .ground
        case .paste:
            guard let done = paste.feed(byte) else { return }
            state = .ground
            events.append(.paste(done))
        }
    }

    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [InputEvent] {
        var events: [InputEvent] = []
        for byte in bytes { feed(byte, &events) }
        return events
    }

    /// Nothing came for a while: a lone ESC is the key, a half sequence was keys with Alt or is dropped.
    package mutating func timeOut() -> [InputEvent] {
        defer { if case .paste = state {} else { state = .ground } }
        switch state {
        case .ground, .overlong, .skip: return []
        case .escape: return [.key(KeyPress(.escape))]
        case .csi(let parameters): return parameters.isEmpty ? [.key(KeyPress(.character("["), .alt))] : []
        case .ss3: return [.key(KeyPress(.character("O"), .alt))]
        case .string(let opener, let count, _):
            return count == 0 ? [.key(KeyPress(.character(Unicode.Scalar(opener)), .alt))] : []
        case .utf8: return [.key(KeyPress(.character("\u{FFFD}")))]
        case .paste:
            // The end marker may be late, or lost. Still a paste: nothing in it may act as a key.
            guard let part = paste.flush() else { return [] }
            return [.paste(part)]
        }
    }

    private mutating func ground(_ byte: UInt8, _ modifiers: Modifiers, _ events: inout [InputEvent]) {
        state = .ground
        switch byte {
        case 0x1B: state = .escape
        case 0x0D: events.append(.key(KeyPress(.enter, modifiers)))
        case 0x09: events.append(.key(KeyPress(.tab, modifiers)))
        case 0x7F, 0x08: events.append(.key(KeyPress(.backspace, modifiers)))
        case 0x00: events.append(.key(KeyPress(.character(" "), modifiers.union(.control))))
        case 0x01...0x1A:
            events.append(.key(KeyPress(.character(Unicode.Scalar(byte + 0x60)), modifiers.union(.control))))
        case 0x1C...0x1F:
            events.append(.key(KeyPress(.character(Unicode.Scalar(byte + 0x40)), modifiers.union(.control))))
        case 0x20..<0x7F: events.append(.key(KeyPress(.character(Unicode.Scalar(byte)), modifiers)))
        case 0xC2...0xDF: state = .utf8(collected: [byte], needed: 2, modifiers)
        case 0xE0...0xEF: state = .utf8(collected: [byte], needed: 3, modifiers)
        case 0xF0...0xF4: state = .utf8(collected: [byte], needed: 4, modifiers)
        default: events.append(.key(KeyPress(.character("\u{FFFD}"))))
        }
    }

    private mutating func continueScalar(
        _ byte: UInt8, _ collected: [UInt8], _ needed: Int, _ modifiers: Modifiers, _ events: inout [InputEvent]
    ) {
        guard byte & 0xC0 == 0x80 else {
            events.append(.key(KeyPress(.character("\u{FFFD}"))))
            return ground(byte, [], &events)
        }
        let bytes = collected + [byte]
        guard bytes.count == needed else {
            state = .utf8(collected: bytes, needed: needed, modifiers)
            return
        }
        state = .ground
        let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
        // Overlong forms and surrogates decode to several replacement characters.
        let scalar = scalars.count == 1 ? scalars.first ?? "\u{FFFD}" : "\u{FFFD}"
        // C1 controls are nobody's text.
        guard scalar.value >= 0xA0 else { return }
        events.append(.key(KeyPress(.character(scalar), modifiers)))
    }

    private mutating func escape(_ byte: UInt8, _ events: inout [InputEvent]) {
        switch byte {
        case 0x5B: state = .csi([])
        case 0x4F: state = .ss3
        case 0x5D, 0x50, 0x5F, 0x5E, 0x58: state = .string(opener: byte, count: 0, isEscaped: false)
        case 0x1B:
            // ESC ESC: the first one was the key.
            events.append(.key(KeyPress(.escape)))
            state = .escape
        default: ground(byte, .alt, &events)
        }
    }

    private mutating func control(_ byte: UInt8, _ parameters: [UInt8], _ events: inout [InputEvent]) {
        switch byte {
        case 0x20...0x3F:
            state = parameters.count < InputDecoder.sequenceLimit ? .csi(parameters + [byte]) : .overlong
        // The Linux console's F1 to F5: CSI [ A …
        case 0x5B where parameters.isEmpty: state = .csi([0x5B])
        case 0x40...0x7E:
            state = .ground
            switch ControlSequence(parameters: parameters, final: byte).meaning {
            case .event(let event): events.append(event)
            case .pasteBegins:
                paste = PasteCollector()
                state = .paste
            case .bytesFollow(let count): state = .skip(count)
            case .nothing: break
            }
        case 0x1B: state = .escape
        // CAN and SUB end a sequence (ECMA-48 8.3.6); anything else was never part of one.
        case 0x18, 0x1A: state = .ground
        default: ground(byte, [], &events)
        }
    }

    private mutating func string(_ byte: UInt8, _ opener: UInt8, _ count: Int, _ isEscaped: Bool) {
        if byte == 0x07 || byte == 0x18 || byte == 0x1A || (isEscaped && byte == 0x5C)
            || count >= InputDecoder.stringLimit
        {
            state = .ground
        } else {
            state = .string(opener: opener, count: count + 1, isEscaped: byte == 0x1B)
        }
    }
}
