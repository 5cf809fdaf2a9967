package import Base
internal import CryptoPrimitives

/// Seals and opens slots under a master key (Docs/FORMATS.md, "Slot").
package struct SlotCipher: ~Copyable {
    private let master: SecretBytes
    private let binding: [UInt8]

    /// - Parameter binding: `H`.
    package init(master: consuming SecretBytes, binding: [UInt8]) {
        self.master = master
        self.binding = binding
    }

    /// A slot for `place`: 512 bytes under a fresh salt.
    package borrowing func seal(_ content: borrowing SlotContent, place: Int, entropy: Entropy) -> [UInt8] {
        let region = VaultLayout.region(ofPlace: place)
        precondition(content.kind != .duress || region == 0, "a duress slot belongs to the outer half")
        let payload = SecretBytes(count: Self.contentSize) { payload in
            payload[0] = Self.version
            payload[1] = SpaceRole(region: region).rawValue
            payload[2] = region
            payload[Self.flags] = content.kind.rawValue
            content.rootKey.withUnsafeBytes { key in
                UnsafeMutableRawBufferPointer(rebasing: payload[Self.rootKeyRange]).copyMemory(from: key)
            }
        }
        return seal(payload: payload, place: place, entropy: entropy)
    }

    /// As `seal`, of a plaintext that is there.
    borrowing func seal(payload: borrowing SecretBytes, place: Int, entropy: Entropy) -> [UInt8] {
        let salt = entropy.bytes(Self.saltSize)
        let derived = derive(place: place, salt: salt)
        return salt + derived.key.seal(payload, nonce: derived.nonce, associatedData: binding)
    }

    /// Tries all slots and selects one without branching on which: an inner one, else a plain outer one, else a duress
    /// one.
    package borrowing func select(from page: SlotPage) -> SlotSelection {
        var selected = SecretBytes(count: Self.contentSize)
        var place: UInt8 = 0
        var rank: UInt8 = 0
        for candidate in 0..<VaultLayout.slots {
            var content = SecretBytes(count: Self.contentSize)
            let isOpen = open(page, place: candidate, into: &content)
            let isDuress = content.withUnsafeBytes { $0[Self.flags] & SlotContent.Kind.duress.rawValue }
            let found = isOpen & (SlotSelection.outerRank &+ VaultLayout.region(ofPlace: candidate) &- isDuress)
            let take = Mask.isLess(rank, found)
            rank = Mask.choose(take, found, rank)
            place = Mask.choose(take, UInt8(candidate), place)
            selected.withUnsafeMutableBytes { selected in
                content.withUnsafeBytes { content in
                    for index in 0..<Self.contentSize {
                        selected[index] = Mask.choose(take, content[index], selected[index])
                    }
                }
            }
        }
        return SlotSelection(content: selected, place: place, rank: rank)
    }

    /// Whether one place opens under this master key.
    package borrowing func opens(_ place: Int, of page: SlotPage) -> Bool {
        var content = SecretBytes(count: Self.contentSize)
        return open(page, place: place, into: &content) != 0
    }

    /// 0xFF if the slot opens and says what its place must say, otherwise 0. The same steps either way.
    private borrowing func open(_ page: SlotPage, place: Int, into content: inout SecretBytes) -> UInt8 {
        let slot = page.slot(place)
        let derived = derive(place: place, salt: Array(slot.prefix(Self.saltSize)))
        let isSealed = derived.key.open(
            Array(slot.dropFirst(Self.saltSize)), nonce: derived.nonce, associatedData: binding, into: &content)
        let region = VaultLayout.region(ofPlace: place)
        let role = SpaceRole(region: region).rawValue
        let allowed = SlotContent.Kind.fresh.rawValue | (region == 0 ? SlotContent.Kind.duress.rawValue : 0)
        let difference = content.withUnsafeBytes { content in
            var difference = (content[0] ^ Self.version) | (content[1] ^ role) | (content[2] ^ region)
            difference |= content[Self.flags] & ~allowed
            for index in 4..<Self.rootKeyRange.lowerBound { difference |= content[index] }
            for index in Self.rootKeyRange.upperBound..<Self.contentSize { difference |= content[index] }
            return difference
        }
        return Mask.isEqual(difference, 0) & (UInt8(0) &- (isSealed ? 1 : 0))
    }

    private borrowing func derive(place: Int, salt: [UInt8]) -> SlotKey {
        let derived = HKDF.derive(
            master, salt: salt, info: Array("postern/1 slot".utf8) + [UInt8(place)], count: 88)
        return SlotKey(
            key: CommittingKey(key: derived.slice(0..<32), commitment: derived.slice(56..<88)),
            nonce: derived.withUnsafeBytes { Array($0[32..<56]) })
    }

    private struct SlotKey: ~Copyable {
        let key: CommittingKey
        let nonce: [UInt8]
    }

    static let saltSize = 32
    static let contentSize = VaultLayout.slotSize - saltSize - CommittingKey.overhead
    static let version: UInt8 = 1
    /// Where the plaintext has its flags.
    static let flags = 3
    static let rootKeyRange = 8..<40
}
