internal import CryptoPrimitives

/// The page of the vault that everybody can read (Docs/FORMATS.md, "Plain page"); class S0.
package struct PlainPage: Sendable, Equatable {
    /// Whether the vault is in use or still being made.
    package enum State: UInt8, Sendable { case ready = 0, unfinished = 1 }

    package var counter: UInt8
    package let kdf: KDFProfile
    package let protector: ProtectorKind
    package var state: State
    /// Slices a region.
    package var slices: Int
    /// 32 bytes.
    package let salt: [UInt8]
    package var limiter: LimiterRecord

    package init(
        counter: UInt8, kdf: KDFProfile, protector: ProtectorKind, state: State, slices: Int, salt: [UInt8],
        limiter: LimiterRecord
    ) {
        self.counter = counter
        self.kdf = kdf
        self.protector = protector
        self.state = state
        self.slices = slices
        self.salt = salt
        self.limiter = limiter
    }

    /// What never changes in a vault's life, bound into everything sealed: `H` of Docs/FORMATS.md.
    package var binding: [UInt8] {
        littleEndianBytes(VaultLayout.version)
            + [kdf.id, protector.rawValue, UInt8(VaultLayout.regions)]
            + littleEndianBytes(UInt32(VaultLayout.sliceSize)) + littleEndianBytes(UInt32(VaultLayout.headerSize))
            + salt
    }

    package func encoded() -> [UInt8] {
        var page = [UInt8](repeating: 0, count: VaultLayout.pageSize)
        page.withUnsafeMutableBytes { page in
            page.put(Self.magic, at: 0)
            page.put(VaultLayout.version, at: 8)
            page.put(counter, at: 10)
            page.put(kdf.id, at: 11)
            page.put(protector.rawValue, at: 12)
            page.put(UInt8(VaultLayout.regions), at: 13)
            page.put(state.rawValue, at: 14)
            page.put(UInt32(VaultLayout.sliceSize), at: 16)
            page.put(UInt32(slices), at: 20)
            page.put(UInt32(VaultLayout.headerSize), at: 24)
            page.put(salt, at: 32)
            page.put(limiter.failures, at: 64)
            page.put(limiter.remaining, at: 72)
            page.put(limiter.moment.boottime, at: 80)
            page.put(limiter.moment.wall, at: 88)
            page.put(limiter.moment.bootID, at: 96)
        }
        let checksum = BLAKE2b.hash(page[..<Self.checksumOffset])
        page.replaceSubrange(Self.checksumOffset..., with: checksum)
        return page
    }

    private static let magic = Array("POSTERN".utf8) + [0]
    private static let checksumOffset = VaultLayout.pageSize - BLAKE2b.size
    private static let reserved = [15..<16, 28..<32, 68..<72, 112..<checksumOffset]
}

/// One copy of the plain page as it was found.
package enum PlainCopy: Sendable, Equatable {
    /// Magic or checksum are not right.
    case damaged
    /// A right checksum over something this version does not know. The counter is the same in every version.
    case unsupported(counter: UInt8)
    case page(PlainPage)

    package init(_ bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { PlainPage.decode($0) }
    }

    var counter: UInt8? {
        switch self {
        case .damaged: nil
        case .unsupported(let counter): counter
        case .page(let page): page.counter
        }
    }

    /// The copy (0 or 1) that counts, or nil where neither is whole.
    package static func counting(_ a: PlainCopy, _ b: PlainCopy) -> Int? {
        switch (a.counter, b.counter) {
        case (nil, nil): nil
        case (_, nil): 0
        case (nil, _): 1
        case (let a?, let b?): isNewer(b, than: a) ? 1 : 0
        }
    }

    /// The counter wraps: whichever is less than half the way ahead is newer.
    private static func isNewer(_ b: UInt8, than a: UInt8) -> Bool {
        let lead = Int8(bitPattern: a &- b)
        return lead < 0 && lead != .min
    }
}

extension PlainPage {
    fileprivate static func decode(_ bytes: UnsafeRawBufferPointer) -> PlainCopy {
        guard bytes.count == VaultLayout.pageSize, bytes.bytes(0, 8) == magic,
            bytes.bytes(checksumOffset, BLAKE2b.size) == BLAKE2b.hash(bytes[..<checksumOffset])
        else { return .damaged }
        let counter = bytes[10]
        let slices = bytes.integer(at: 20, as: UInt32.self)
        let remaining = bytes.integer(at: 72, as: Int64.self)
        guard bytes.integer(at: 8, as: UInt16.self) == VaultLayout.version,
            let kdf = KDFProfile(id: bytes[11]), let protector = ProtectorKind(rawValue: bytes[12]),
            bytes[13] == UInt8(VaultLayout.regions), let state = State(rawValue: bytes[14]),
            bytes.integer(at: 16, as: UInt32.self) == UInt32(VaultLayout.sliceSize),
            (1...UInt32(VaultLayout.maximumSlices)).contains(slices),
            bytes.integer(at: 24, as: UInt32.self) == UInt32(VaultLayout.headerSize),
            (0...Limiter.longestDelay).contains(remaining), reserved.allSatisfy({ bytes.isZero($0) })
        else { return .unsupported(counter: counter) }
        let moment = LimiterMoment(
            boottime: bytes.integer(at: 80, as: Int64.self), wall: bytes.integer(at: 88, as: Int64.self),
            bootID: bytes.bytes(96, 16))
        let limiter = LimiterRecord(
            failures: bytes.integer(at: 64, as: UInt32.self), remaining: remaining, moment: moment)
        return .page(
            PlainPage(
                counter: counter, kdf: kdf, protector: protector, state: state, slices: Int(slices),
                salt: bytes.bytes(32, 32), limiter: limiter))
    }
}
