/// Finds the end of a stanza that is too large to be read, byte by byte, and keeps nothing of it.
///
/// Knows of XML what can stand in a stanza (RFC 6120, section 11.1): tags, quoted values and CDATA sections. What a server
/// passes on was well-formed when it read it; anything else is told by `.malformed` at the latest when the parser goes on.
struct StanzaSkipper: Sendable {
    /// Bytes of one stanza that are passed over at most.
    static let limit = 4 << 20

    enum Place: Sendable, Equatable {
        case text
        /// Behind `<`.
        case opened
        /// In a start tag, behind a slash or not.
        case tag(isSlash: Bool)
        case value(quote: UInt8)
        case endTag
        /// Behind `<!` and so many bytes of `[CDATA[`.
        case declaration(Int)
        /// In a CDATA section, behind so many bytes of `]]`.
        case section(Int)
    }

    enum Outcome: Sendable, Equatable {
        case undecided
        /// The stanza's last byte is the one before this index.
        case ended(Int)
        case malformed
        case tooLong
    }

    /// Elements whose start tag is complete, the stream's root counted.
    private var depth: Int
    private var place: Place
    private var passed = 0

    /// - Parameter depth: elements that are open where the skipping starts, more than the root.
    init(depth: Int, place: Place) {
        self.depth = depth
        self.place = place
    }

    mutating func take(_ bytes: some Collection<UInt8>) -> Outcome {
        var index = 0
        for byte in bytes {
            index += 1
            guard step(byte) else { return .malformed }
            if depth == 1, place == .text { return .ended(index) }
        }
        passed += index
        return passed <= Self.limit ? .undecided : .tooLong
    }

    /// False for what no stanza can hold.
    private mutating func step(_ byte: UInt8) -> Bool {
        switch place {
        case .text: if byte == UInt8(ascii: "<") { place = .opened }
        case .opened:
            switch byte {
            case UInt8(ascii: "/"): place = .endTag
            case UInt8(ascii: "!"): place = .declaration(0)
            case UInt8(ascii: "?"): return false
            default: place = .tag(isSlash: false)
            }
        case .tag(let isSlash):
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""): place = .value(quote: byte)
            case UInt8(ascii: ">"):
                depth += isSlash ? 0 : 1
                place = .text
            default: place = .tag(isSlash: byte == UInt8(ascii: "/"))
            }
        case .value(let quote): if byte == quote { place = .tag(isSlash: false) }
        case .endTag:
            if byte == UInt8(ascii: ">") {
                depth -= 1
                place = .text
            }
        case .declaration(let count):
            let word = Array("[CDATA[".utf8)
            guard byte == word[count] else { return false }
            place = count + 1 == word.count ? .section(0) : .declaration(count + 1)
        case .section(let count):
            switch byte {
            case UInt8(ascii: "]"): place = .section(min(count + 1, 2))
            case UInt8(ascii: ">") where count == 2: place = .text
            default: place = .section(0)
            }
        }
        return true
    }
}
