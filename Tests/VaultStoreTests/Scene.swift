import Application
import Base
import Domain
import Testing

@testable import VaultStore

/// A vault with something in each space to find again, and what an operation on it wrote.
final class Scene: Sendable {
    enum Which { case outer, inner }

    static let slices = 5
    let disk: VaultOnDisk
    private let outerMark = ProfileID(entropy: .system)
    private let innerMark = ProfileID(entropy: .system)

    private init(_ disk: VaultOnDisk) { self.disk = disk }

    static func outerOnly() async throws -> Scene {
        let scene = Scene(try VaultOnDisk.made(slices: slices))
        try await scene.mark("outer", scene.outerMark)
        return scene
    }

    static func both() async throws -> Scene {
        let scene = Scene(try await VaultOnDisk.withBoth(slices: slices))
        try await scene.mark("outer", scene.outerMark)
        try await scene.mark("inner", scene.innerMark)
        return scene
    }

    private func mark(_ passcode: String, _ mark: ProfileID) async throws {
        let space = try await disk.open(passcode)
        try await space.setLastProfile(mark)
        await space.close()
    }

    /// Opens a space, and what `body` then does to the vault file; the file is put back to how it was before `body`.
    func record(_ passcode: String, _ body: (any SpacePort) async throws -> Void) async throws -> [VaultOperation] {
        let space = try await disk.open(passcode)
        let before = disk.bytes
        let operations = try await disk.recorder.record { try await body(space) }
        checkOtherRegion(passcode, before: before, operations: operations)
        await space.close()
        try disk.replace(before)
        return operations
    }

    /// Invariant 4: nothing of the other region is written, except by what says that it replaces it.
    private func checkOtherRegion(_ passcode: String, before: [UInt8], operations: [VaultOperation]) {
        let after = disk.bytes
        let own = passcode == "outer" ? 0 : 1
        // Slots and key pages of the inner half are the new space's in `space add`, which the caller checks.
        let keyPages = own == 0 ? 49152..<81920 : 16384..<49152
        let replaces = operations.contains { operation in
            guard case .write(let offset, _) = operation else { return false }
            return own == 0 && keyPages.contains(Int(offset))
        }
        if !replaces {
            let slots = own == 0 ? 10240..<12288 : 8192..<10240
            #expect(after[keyPages] == before[keyPages])
            #expect(after[slots] == before[slots])
        }
        for slice in 0..<Self.slices {
            let start = Int(VaultLayout.sliceOffset(region: UInt8(1 - own), slice: slice))
            let range = start..<(start + VaultLayout.sliceSize)
            #expect(after[range] == before[range], "slice \(slice) of the other region")
        }
    }

    /// Whether a passcode opens a space, which then must have what was put into it.
    func holds(_ which: Which, passcode: String, on disk: VaultOnDisk) async throws -> Bool {
        let factory: any SpaceFactory
        switch (try await disk.unlock(passcode), which) {
        case (.real(let found), .inner), (.decoy(let found), .outer): factory = found
        case (.invalid, _): return false
        case (.real, .outer), (.decoy, .inner):
            Issue.record("the wrong space")
            return false
        }
        let space = try await factory.open()
        let mark = which == .outer ? outerMark : innerMark
        #expect(try await space.lastProfile() == mark)
        await space.close()
        return true
    }

    /// Checks every image that a crash during `operations` can leave.
    func replay(_ operations: [VaultOperation], check: (VaultOnDisk) async throws -> Void) async throws {
        let base = disk.bytes
        let copy = try VaultOnDisk(bytes: base)
        var durable: [VaultOperation] = []
        var pending: [VaultOperation] = []
        var images = 0
        for operation in operations {
            switch operation {
            case .read: continue
            case .sync:
                // The same image as after the write before it.
                durable += pending
                pending = []
                continue
            case .write, .truncate: pending.append(operation)
            }
            for image in choices(pending) {
                try copy.replace(base)
                for step in durable + image { try apply(step, to: copy) }
                try await check(copy)
                images += 1
            }
        }
        #expect(images > operations.count / 2)
    }

    /// What may have reached the disk of writes that were not synced: a beginning of them, the last one also torn.
    private func choices(_ pending: [VaultOperation]) -> [[VaultOperation]] {
        guard case .write(let offset, let bytes)? = pending.last else { return [pending] }
        var images = [pending]
        // Only pages of the header are written over; a torn stripe lies beyond what the geometry names.
        guard offset < Int64(VaultLayout.headerSize) else { return images }
        // A torn plain or key page is no page, wherever it is torn; of the slot page, whole slots are old or new.
        guard offset == VaultLayout.slotPageOffset else {
            images.append(pending.dropLast() + [.write(offset: offset, bytes: Array(bytes.prefix(512)))])
            return images
        }
        for sectors in [1, 5] {
            images.append(pending.dropLast() + [.write(offset: offset, bytes: Array(bytes.prefix(sectors * 512)))])
            images.append(
                pending.dropLast() + [
                    .write(offset: offset + Int64(sectors * 512), bytes: Array(bytes.dropFirst(sectors * 512)))
                ])
        }
        return images
    }

    private func apply(_ operation: VaultOperation, to copy: VaultOnDisk) throws {
        switch operation {
        case .write(let offset, let bytes): try copy.patch(bytes, at: Int(offset))
        case .truncate(let size): try copy.truncate(size)
        case .read, .sync: break
        }
    }
}
