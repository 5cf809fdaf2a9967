import Foundation
import Testing

@testable import Base

/// Looks through the memory of this process for what must not be left in it.
@Suite(.serialized) struct RemnantTests {
    /// A passcode of 64 letters that stands nowhere in this program: letter `index` is computed.
    private static let letters = 64
    private static func letter(_ index: Int) -> UInt16 { 0x0430 + UInt16((index * index * 7 + index * 3 + 5) % 32) }

    @Test func `Nothing of a prepared passcode or password is left in memory`() throws {
        let before = try occurrences()
        try #require(before == 0)
        do {
            let typed = Self.passcode()
            let opaque = SharedSecret(try opaqueString(typed))
            #expect(opaque.bytes.count == Self.letters * 2)
            let prepared = Self.shared(SASLprep.prepare(typed))
            #expect(prepared != nil)
            // The search finds what is there: the passcode itself and what was prepared of it.
            let present = try occurrences()
            #expect(present >= 3)
            withExtendedLifetime(prepared) {}
            withExtendedLifetime(opaque) {}
            let count = typed.count
            #expect(count == Self.letters * 2)
        }
        let left = try occurrences()
        #expect(left == 0)
    }

    private static func shared(_ secret: consuming SecretBytes?) -> SharedSecret? {
        switch consume secret {
        case .some(let secret): SharedSecret(secret)
        case .none: nil
        }
    }

    private static func passcode() -> SecretBytes {
        SecretBytes(count: letters * 2) { bytes in
            for index in 0..<letters {
                let letter = letter(index)
                bytes[index * 2] = UInt8(0xC0 | letter >> 6)
                bytes[index * 2 + 1] = UInt8(0x80 | letter & 0x3F)
            }
        }
    }

    /// How often 16 letters from the passcode's middle stand in writable memory, as UTF-8 or UTF-16.
    private func occurrences() throws -> Int {
        let memory = open("/proc/self/mem", O_RDONLY)
        try #require(memory >= 0)
        defer { close(memory) }
        // What is looked for stands in the search's own page, which is not searched.
        let page = 4096
        let piece = 1 << 20
        let own = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * page + piece, alignment: page)
        defer {
            own.initializeMemory(as: UInt8.self, repeating: 0)
            own.deallocate()
        }
        for offset in 0..<16 {
            let letter = Self.letter(24 + offset)
            own[offset * 2] = UInt8(0xC0 | letter >> 6)
            own[offset * 2 + 1] = UInt8(0x80 | letter & 0x3F)
            own[32 + offset * 2] = UInt8(truncatingIfNeeded: letter)
            own[32 + offset * 2 + 1] = UInt8(letter >> 8)
        }
        let base = UInt(bitPattern: own.baseAddress)
        let buffer = UnsafeMutableRawBufferPointer(rebasing: own[page...])
        var found = 0
        for region in try writableRegions() {
            for part in Self.without(base..<base + UInt(own.count), region) {
                var address = part.lowerBound
                while address < part.upperBound {
                    let count = min(UInt(buffer.count), part.upperBound - address)
                    let read = pread(memory, buffer.baseAddress, Int(count), off_t(address))
                    guard read > 0 else { break }
                    for needle in [own[..<32], own[32..<64]] {
                        found += Self.count(needle, in: buffer[..<read], beginningBefore: piece)
                    }
                    address += UInt(piece)
                }
            }
        }
        return found
    }

    private static func count(
        _ needle: Slice<UnsafeMutableRawBufferPointer>, in bytes: Slice<UnsafeMutableRawBufferPointer>,
        beginningBefore limit: Int
    ) -> Int {
        let needle = UnsafeRawBufferPointer(rebasing: needle)
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        guard let base = bytes.baseAddress, let pattern = needle.baseAddress else { return 0 }
        var found = 0
        var start = 0
        while start + needle.count <= bytes.count,
            let hit = memchr(base + start, Int32(needle[0]), bytes.count - start - needle.count + 1)
        {
            let offset = UnsafeRawPointer(hit) - base
            if offset < limit, memcmp(hit, pattern, needle.count) == 0 { found += 1 }
            start = offset + 1
        }
        return found
    }

    private static func without(_ hole: Range<UInt>, _ region: Range<UInt>) -> [Range<UInt>] {
        guard region.overlaps(hole) else { return [region] }
        let before = region.lowerBound..<max(region.lowerBound, hole.lowerBound)
        let after = min(region.upperBound, hole.upperBound)..<region.upperBound
        return [before, after].filter { !$0.isEmpty }
    }

    private func writableRegions() throws -> [Range<UInt>] {
        // Foundation's own reading stops after the first page of a file without a size.
        let maps = try #require(fopen("/proc/self/maps", "r"))
        defer { fclose(maps) }
        var regions: [Range<UInt>] = []
        var line = [CChar](repeating: 0, count: 8192)
        while fgets(&line, Int32(line.count), maps) != nil {
            let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                .split(separator: " ")
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if fields.count > 1, fields[1].hasPrefix("rw"), ends.count == 2 { regions.append(ends[0]..<ends[1]) }
        }
        return regions
    }
}
