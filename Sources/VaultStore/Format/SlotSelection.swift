import Base

/// What trying all slots gave; nothing branches on it before the attempt's second write.
package struct SlotSelection: ~Copyable, Sendable {
    private let content: SecretBytes
    private let chosen: UInt8
    /// 0xFF if a slot opened, else 0.
    private let found: UInt8

    init(content: consuming SecretBytes, place: UInt8, found: UInt8) {
        self.content = content
        chosen = place
        self.found = found
    }

    package var hasOpened: Bool { found != 0 }

    /// The place that opened and what it held; nil if none did.
    package consuming func result() -> OpenedSlot? {
        guard found != 0 else { return nil }
        let flags = content.withUnsafeBytes { $0[3] }
        return OpenedSlot(
            place: Int(chosen),
            content: SlotContent(
                rootKey: content.slice(SlotCipher.rootKeyRange), isFresh: flags & SlotCipher.freshFlag != 0))
    }
}

/// A slot that opened.
package struct OpenedSlot: ~Copyable, Sendable {
    package let place: Int
    package let content: SlotContent
    package var region: UInt8 { VaultLayout.region(ofPlace: place) }
    init(place: Int, content: consuming SlotContent) {
        self.place = place
        self.content = content
    }
}
