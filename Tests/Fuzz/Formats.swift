// libFuzzer on the decoders of the vault's pages. `Scripts/prove fuzz` builds it together with the sources under test,
// so that they are instrumented; it is no target of the package.
import Base
import CryptoPrimitives
import Glibc

/// Which decoder a process tries; its first argument that is no option of libFuzzer's cannot be had here, so the
/// environment says it.
private let decoder: @Sendable ([UInt8]) -> Void =
    switch getenv("POSTERN_FUZZ").map({ String(cString: $0) }) {
    case "plain": tryPlainPage
    case "slot": trySlots
    case "keypage": tryKeyPage
    default: fatalError("POSTERN_FUZZ names no decoder")
    }

@_cdecl("LLVMFuzzerTestOneInput")
package func fuzzOne(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    decoder(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// A finding, unless `condition` holds.
private func demand(_ condition: Bool, _ text: StaticString) {
    if !condition { fatalError("\(text)") }
}

/// `count` bytes: the input, cut or filled up.
private func sized(_ input: some Collection<UInt8>, _ count: Int) -> [UInt8] {
    Array(input.prefix(count)) + [UInt8](repeating: 0, count: max(0, count - input.count))
}

// MARK: Plain page

@Sendable private func tryPlainPage(_ input: [UInt8]) {
    _ = PlainCopy(input)
    var page = sized(input, VaultLayout.pageSize)
    // Nothing gets past a checksum by chance.
    page.replaceSubrange(0..<8, with: Array("POSTERN".utf8) + [0])
    page.replaceSubrange(4064..., with: BLAKE2b.hash(page[..<4064]))
    switch PlainCopy(page) {
    case .damaged: demand(false, "a right checksum is damaged")
    case .unsupported: break
    case .page(let found):
        demand(found.encoded() == page, "a page is not written as it was read")
        demand((1...VaultLayout.maximumSlices).contains(found.slices), "slices out of bounds")
        for time in [Int64.min, -1, 0, 1, .max] {
            let moment = LimiterMoment(boottime: time, wall: time, bootID: found.limiter.moment.bootID)
            let remaining = Limiter.remaining(found.limiter, at: moment)
            demand((0...Limiter.longestDelay).contains(remaining), "a delay out of bounds")
            _ = Limiter.attempted(found.limiter, at: moment)
        }
    }
}

// MARK: Slots

private func fixed(_ count: Int) -> SecretBytes {
    SecretBytes(count: count) { bytes in
        for index in 0..<count { bytes[index] = UInt8(truncatingIfNeeded: index) }
    }
}

/// The first byte is the place; then a page of slots as it may be on a disk, or a payload that is sealed as it should be.
@Sendable private func trySlots(_ input: [UInt8]) {
    guard let first = input.first else { return }
    let binding = sized([], 45)
    let cipher = SlotCipher(master: fixed(32), binding: binding)
    guard var page = try? SlotPage(sized(input.dropFirst(), 4096)) else { return demand(false, "no page") }
    demand(!cipher.select(from: page).hasOpened, "noise opens")

    let place = Int(first % 8)
    let content = sized(input.dropFirst(), SlotCipher.contentSize)
    let payload = SecretBytes(count: content.count) { $0.copyBytes(from: content) }
    page.replace(place, with: cipher.seal(payload: payload, place: place, entropy: .system))
    let selection = cipher.select(from: page)
    let isOpen = selection.hasOpened
    let concluded = selection.conclusion(for: page, sealedBy: cipher, entropy: .system)
    let isDuress = isOpen && content[SlotCipher.flags] & 1 != 0
    demand((concluded.first != page) == isDuress && (concluded.second != page) == isDuress, "destroyed or not")
    demand(concluded.first.bytes.prefix(2048) == page.bytes.prefix(2048), "an outer place is gone")
    guard let result = selection.result() else { return demand(!isOpen, "opened and not opened") }
    demand(isOpen && result.place == place, "another place")
    demand(content[0] == 1 && Int(content[1]) == (place < 4 ? 1 : 2) && Int(content[2]) == place / 4, "another's slot")
    demand(!isDuress || place < 4, "a duress slot in the inner half")
    let isSame = result.rootKey.withUnsafeBytes { Array($0) == Array(content[SlotCipher.rootKeyRange]) }
    demand(isSame, "another key")
}

// MARK: Key page

@Sendable private func tryKeyPage(_ input: [UInt8]) {
    let content = sized(input, KeyPage.size)
    let page = content.withUnsafeBytes { bytes in try? KeyPage(bytes, region: 0) }
    guard var page else { return }
    var written = [UInt8](repeating: 0, count: KeyPage.size)
    written.withUnsafeMutableBytes { page.encode(into: $0) }
    demand(written == content, "a page is not written as it was read")
    for count in [1, 7, VaultLayout.maximumSlices] {
        for cell in 0..<VaultLayout.cells {
            guard let slices = try? page.table.slices(of: cell, count: count) else { continue }
            demand(Set(slices).count == slices.count, "one slice twice")
            demand(slices.allSatisfy { (0..<count).contains($0) }, "a slice out of bounds")
        }
        _ = page.table.freeSlices(count: count)
    }
    let taken = page.table.assign(cell: 15, position: 4094, count: VaultLayout.maximumSlices)
    if let taken { demand(page.table.entries[taken] == 0xFFFE, "another entry") }
    for cell in 0..<VaultLayout.cells { page.table.release(cell: cell) }
}
