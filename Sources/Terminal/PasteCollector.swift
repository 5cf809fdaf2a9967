/// Collects a bracketed paste up to `CSI 201 ~`.
struct PasteCollector: Sendable {
    private static let end: [UInt8] = [0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E]

    private var bytes: [UInt8] = []
    /// Bytes of the end marker seen so far.
    private var matched = 0
    private var isCut = false

    /// Whether nothing waits to be handed out.
    var isEmpty: Bool { bytes.isEmpty }

    /// The paste, once its end marker is complete.
    mutating func feed(_ byte: UInt8) -> Paste? {
        if byte == PasteCollector.end[matched] {
            matched += 1
            guard matched == PasteCollector.end.count else { return nil }
            matched = 0
            return take()
        }
        // ESC stands only at the marker's beginning, so a mismatch can begin anew with this byte at most.
        for index in 0..<matched { keep(PasteCollector.end[index]) }
        matched = 0
        if byte == PasteCollector.end[0] { matched = 1 } else { keep(byte) }
        return nil
    }

    /// What has come so far; nil where that is nothing.
    mutating func flush() -> Paste? { bytes.isEmpty ? nil : take() }

    private mutating func keep(_ byte: UInt8) {
        if bytes.count < Paste.limit { bytes.append(byte) } else { isCut = true }
    }

    private mutating func take() -> Paste {
        var text = ""
        var isAfterReturn = false
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\r": text.unicodeScalars.append("\n")
            case "\n": if !isAfterReturn { text.unicodeScalars.append("\n") }
            case "\t": text.unicodeScalars.append("\t")
            default: if scalar.properties.generalCategory != .control { text.unicodeScalars.append(scalar) }
            }
            isAfterReturn = scalar == "\r"
        }
        defer { self = PasteCollector() }
        return Paste(text: text, isCut: isCut)
    }
}
