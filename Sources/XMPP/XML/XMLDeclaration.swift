/// The first bytes of a stream: they must begin an XML 1.0 document in UTF-8 (RFC 6120, section 11.6).
///
/// Read before libxml2 gets to see them, so that it never guesses an encoding nor switches to one.
struct XMLDeclaration {
    enum Verdict: Equatable {
        /// Not enough bytes yet; they are kept.
        case undecided
        /// Nothing speaks against feeding what was kept.
        case acceptable
        case refused(StreamCondition)
    }

    /// No declaration is longer.
    private static let limit = 256
    private(set) var head: [UInt8] = []

    /// Adds `byte` to what is kept and judges it.
    mutating func take(_ byte: UInt8) -> Verdict {
        head.append(byte)
        let opening = Array("<?xml".utf8)
        if head.count <= opening.count {
            if head == Array(opening.prefix(head.count)) { return .undecided }
            return head.count == 1 ? Self.verdict(onFirst: byte) : .acceptable
        }
        // A longer name is another processing instruction: the parser refuses it.
        guard Self.isSpace(head[opening.count]) else { return .acceptable }
        guard head.count <= Self.limit else { return .refused(.notWellFormed) }
        guard byte == UInt8(ascii: ">"), head[head.count - 2] == UInt8(ascii: "?") else { return .undecided }
        return Self.verdict(onDeclaration: head[opening.count..<(head.count - 2)])
    }

    private static func verdict(onFirst byte: UInt8) -> Verdict {
        switch byte {
        // White space before the root; libxml2 sees that no declaration follows it.
        case _ where isSpace(byte): .acceptable
        // Byte order marks, and UTF-16 or UTF-32 without one.
        case 0x00, 0xEF, 0xFE, 0xFF: .refused(.unsupportedEncoding)
        default: .refused(.notWellFormed)
        }
    }

    /// Looks for `version` and `encoding` between `<?xml` and `?>`; whether the rest is well-formed is libxml2's to say.
    private static func verdict(onDeclaration bytes: ArraySlice<UInt8>) -> Verdict {
        var rest = Substring(decoding: bytes, as: UTF8.self)
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].filter { !$0.isWhitespace }
            rest = rest[rest.index(after: equals)...].drop { $0.isWhitespace }
            guard let quote = rest.first, quote == "'" || quote == "\"" else { return .refused(.notWellFormed) }
            rest = rest.dropFirst()
            guard let end = rest.firstIndex(of: quote) else { return .refused(.notWellFormed) }
            let value = rest[..<end]
            rest = rest[rest.index(after: end)...]
            switch name {
            case "version" where value != "1.0": return .refused(.notWellFormed)
            case "encoding" where value.lowercased() != "utf-8": return .refused(.unsupportedEncoding)
            default: continue
            }
        }
        return .acceptable
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}
