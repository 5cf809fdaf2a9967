import Glibc
import Testing

@testable import VaultStore

/// Reproducible random numbers (SplitMix64).
struct Dice: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// Images that an end in the middle of a recording leaves on the disk, each checked on a file that is then put back.
///
/// A killed process leaves everything it wrote. A power cut leaves what was synced, and of what was written since any
/// selection of 512-byte sectors: so writes are lost, torn and reordered (of two to one sector either may be the last).
final class PowerCut {
    enum Arrival: CaseIterable {
        /// The process was killed.
        case everything
        case nothing
        case half
        case few
        /// The last write only, the others lost: the disk reordered them.
        case lastOnly
        /// All but the last, of which a beginning arrived.
        case tornLast
    }

    /// A check of one image; it may write to the disk.
    /// - Parameters:
    ///   - done: the notes up to the cut.
    typealias Check = (_ disk: VaultOnDisk, _ done: [String]) async throws -> Void

    private let steps: [Recording.Step]
    private let disk: VaultOnDisk
    private var durable: [UInt8]
    /// Steps before this index are in `durable`.
    private var settled = 0
    private var dice: Dice
    private(set) var images = 0
    /// What was wrong, and with which image.
    private(set) var failures: [String] = []

    /// - Parameters:
    ///   - base: the file before the recording.
    ///   - ignoresSyncs: a disk that lies, for showing that the proof can fail.
    init(_ recording: Recording, from base: [UInt8], seed: UInt64, ignoresSyncs: Bool = false) throws {
        steps =
            ignoresSyncs
            ? recording.steps.map { if case .sync = $0 { .sync(covers: 0) } else { $0 } }
            : recording.steps
        durable = base
        disk = try VaultOnDisk(bytes: base)
        dice = Dice(seed: seed)
    }

    /// Checks about `budget` images, the ends right after a write of the header among them first; all there are where
    /// those are fewer.
    func run(budget: Int, nested: Bool = true, check: Check) async throws {
        let cuts = choose(budget)
        for (cut, arrivals) in cuts {
            try settle(upTo: cut)
            let done = notes(upTo: cut)
            for arrival in arrivals {
                try await one(cut, arrival, nested: nested && Int.random(in: 0..<4, using: &dice) == 0, done, check)
            }
        }
    }

    /// The disk as a power cut just before a step finds it at the least, for looking at. Steps only go up.
    func durableDisk(before step: Int) throws -> VaultOnDisk {
        try settle(upTo: step)
        return try VaultOnDisk(bytes: durable)
    }

    /// Where to cut (after how many steps), and how.
    private func choose(_ budget: Int) -> [(Int, [Arrival])] {
        var chosen: [Int: Set<Arrival>] = [:]
        var all: [(Int, Arrival)] = []
        for (index, step) in steps.enumerated() {
            switch step {
            case .note: continue
            case .sync: all.append((index + 1, .nothing))
            case .write(let offset, _):
                if offset < VaultLayout.headerSize { chosen[index + 1, default: []].insert(.everything) }
                for arrival in Arrival.allCases { all.append((index + 1, arrival)) }
            case .truncate: all.append((index + 1, .everything))
            }
        }
        let first = chosen.values.reduce(0) { $0 + $1.count }
        if first > budget {
            let kept = Set(chosen.keys.shuffled(using: &dice).prefix(budget))
            chosen = chosen.filter { kept.contains($0.key) }
        }
        for (cut, arrival) in all.shuffled(using: &dice).prefix(max(0, budget - first)) {
            chosen[cut, default: []].insert(arrival)
        }
        return chosen.sorted { $0.key < $1.key }.map { cut, arrivals in
            (cut, Arrival.allCases.filter { arrivals.contains($0) })
        }
    }

    private func notes(upTo cut: Int) -> [String] {
        steps[..<cut].compactMap { step in
            guard case .note(let text) = step else { return nil }
            return text
        }
    }

    /// Brings what every sync before `cut` covers into `durable` and onto the file.
    private func settle(upTo cut: Int) throws {
        var covered = settled
        for step in steps[settled..<cut] {
            if case .sync(let covers) = step { covered = max(covered, covers) }
        }
        for step in steps[settled..<covered] {
            switch step {
            case .write(let offset, let bytes):
                Self.put(bytes, at: offset, into: &durable)
                try disk.patch(bytes, at: offset)
            case .truncate(let size):
                durable = Array(durable.prefix(size))
                try disk.truncate(Int64(size))
            case .sync, .note: break
            }
        }
        settled = covered
    }

    private func one(_ cut: Int, _ arrival: Arrival, nested: Bool, _ done: [String], _ check: Check) async throws {
        var touched: Recording?
        let pending = arrived(steps[settled..<cut], arrival)
        do {
            touched = try await Recording.of(disk.descriptor) {
                for (offset, bytes) in pending { try disk.patch(bytes, at: offset) }
                try await check(disk, done)
            }
        } catch {
            failures.append("after \(cut) of \(steps.count) steps, \(arrival): \(error)")
        }
        images += 1
        if nested, let touched {
            // The opening that mends the image is ended as well; what it was to mend is then mended all the same.
            let writes = touched.steps.indices.dropFirst(pending.count).filter { index in
                if case .write = touched.steps[index] { true } else { false }
            }
            if let index = writes.randomElement(using: &dice),
                let arrival = Arrival.allCases.randomElement(using: &dice)
            {
                let inner = try PowerCut(touched, from: durable, seed: dice.next())
                try inner.settleAtLeast(pending.count, upTo: index + 1)
                try await inner.one(index + 1, arrival, nested: false, done, check)
                images += 1
                failures += inner.failures.map { "after \(cut) of \(steps.count) steps, \(arrival), and then \($0)" }
            }
        }
        try restore(touched)
    }

    /// For an image that is itself the start: its first steps are on the disk, synced or not.
    private func settleAtLeast(_ count: Int, upTo cut: Int) throws {
        try settle(upTo: cut)
        guard settled < count else { return }
        for step in steps[settled..<count] {
            guard case .write(let offset, let bytes) = step else { continue }
            Self.put(bytes, at: offset, into: &durable)
            try disk.patch(bytes, at: offset)
        }
        settled = count
    }

    /// The file as `durable` has it again.
    private func restore(_ touched: Recording?) throws {
        let wasCut = touched?.steps.contains { if case .truncate = $0 { true } else { false } } ?? true
        guard let touched, !wasCut else { return try disk.replace(durable) }
        try disk.truncate(Int64(durable.count))
        for range in touched.written {
            let end = min(range.upperBound, durable.count)
            guard range.lowerBound < end else { continue }
            try disk.patch(Array(durable[range.lowerBound..<end]), at: range.lowerBound)
        }
    }

    /// What of the steps reached the disk, in order.
    private func arrived(_ pending: ArraySlice<Recording.Step>, _ arrival: Arrival) -> [(Int, [UInt8])] {
        let writes = pending.compactMap { step -> (offset: Int, bytes: [UInt8])? in
            guard case .write(let offset, let bytes) = step else { return nil }
            return (offset, bytes)
        }
        switch arrival {
        case .everything: return writes
        case .nothing: return []
        case .lastOnly: return Array(writes.suffix(1))
        case .tornLast:
            guard let last = writes.last else { return [] }
            let sectors = Int.random(in: 0...max(0, (last.bytes.count - 1) / 512), using: &dice)
            return writes.dropLast() + [(last.offset, Array(last.bytes.prefix(sectors * 512)))]
        case .half, .few:
            return writes.flatMap { write in
                sectors(of: write).filter { _ in Int.random(in: 0..<8, using: &dice) < (arrival == .half ? 4 : 1) }
            }
        }
    }

    private func sectors(of write: (offset: Int, bytes: [UInt8])) -> [(Int, [UInt8])] {
        var sectors: [(Int, [UInt8])] = []
        var at = 0
        while at < write.bytes.count {
            let length = min(512 - (write.offset + at) % 512, write.bytes.count - at)
            sectors.append((write.offset + at, Array(write.bytes[at..<(at + length)])))
            at += length
        }
        return sectors
    }

    private static func put(_ bytes: [UInt8], at offset: Int, into image: inout [UInt8]) {
        if offset + bytes.count > image.count {
            image += [UInt8](repeating: 0, count: offset + bytes.count - image.count)
        }
        image.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    }
}
