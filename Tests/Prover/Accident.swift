import Application
import Base
import Foundation
import Glibc
import HostPlatform
import Synchronization
import VaultStore

/// prover accident VAULT COUNT SEED: makes a vault with something in both spaces and mistypes its passcodes, COUNT
/// times: after each, nothing may have changed but what every attempt rewrites. A line for each violation, one for the
/// sum, and one for each fault that was put in by hand and had to be noticed.
func accident(_ arguments: [String]) async throws(Failure) {
    let count = try integer(arguments[1])
    var chance = SeededChance(seed: UInt64(try integer(arguments[2])))
    let scene = try await AccidentScene(path: arguments[0])
    var kinds: [String: Int] = [:]
    var violations = 0
    for number in 1...count {
        let entry = scene.mistype(&chance)
        kinds[entry.kind, default: 0] += 1
        var found: [String] = try await scene.enter(entry, &chance)
        if number % 2000 == 0 || number == count { found += try await scene.inspectWholly() }
        for text in found {
            violations += 1
            tell(["violation": text, "kind": entry.kind, "attempt": number])
        }
    }
    tell(["attempts": count, "violations": violations, "kinds": kinds])
    for (name, noticed) in try await scene.controls() { tell(["control": name, "noticed": noticed]) }
}

/// What a person's hand put in.
struct MistypedEntry {
    enum How: Equatable {
        case entered, cancelled
        /// The process ended before this access of the attempt to the file.
        case killed(Int)
    }
    let kind: String
    let bytes: [UInt8]
    let how: How
}

private final class AccidentScene {
    private let held: HeldVault
    private let outer = "Harbour-lantern 72 violet"
    private let inner = "seven Green owls; midwinter 4"
    /// Armed all the time.
    private let duress = "Copper-kettle 19 orchard"
    private let clock = SteppedClock()
    private let stop = StopAt()
    private var before: [UInt8]
    private let whole: Data
    private let path: String

    init(path: String) async throws(Failure) {
        self.path = path
        try await createVault([path, "17", outer])
        try await live([
            path, "\(outer):profile,messages=30,space=\(inner)", "\(inner):profile,messages=30",
            "\(outer):duress=\(duress)",
        ])
        held = try HeldVault(opening: path)
        before = try VaultFile(descriptor: held.descriptor).read(at: 0, count: VaultLayout.headerSize)
        guard let whole = FileManager.default.contents(atPath: path) else { throw Failure(.fileUnreadable) }
        self.whole = whole
    }

    func mistype(_ chance: inout SeededChance) -> MistypedEntry {
        while true {
            let entry = mistypedEntry(of: chance.element(of: [outer, inner, duress]), &chance)
            // A hand that got it right is no accident, unless it was killed at a passcode that destroys nothing.
            let isRight = [outer, inner].contains { Array($0.utf8) == entry.bytes }
            let isDuress = Array(duress.utf8) == entry.bytes
            if !(isRight || isDuress) || entry.how == .cancelled || (isRight && entry.how != .entered) { return entry }
        }
    }

    /// What this changed or opened that it must not.
    func enter(_ entry: MistypedEntry, _ chance: inout SeededChance) async throws(Failure) -> [String] {
        // Mostly, the person waits as long as the limiter asks.
        let waits = chance.number(below: 20) != 0
        if waits { clock.advance(Limiter.longestDelay + 1000) }
        let stop = stop
        stop.set(nil)
        let vault = try ProverVault.over(held.descriptor, time: clock.source, probe: { stop.consult($0) })
        var found: [String] = []
        do throws(Failure) {
            try await vault.ready()
            if entry.how == .cancelled { return try inspectHeader() }
            if case .killed(let operation) = entry.how { stop.set(operation) }
            let passcode = SecretBytes(count: entry.bytes.count) { $0.copyBytes(from: entry.bytes) }
            switch try await vault.unlock(passcode: passcode) {
            case .real, .decoy: if entry.how == .entered { found.append("opened") }
            case .invalid: break
            }
        } catch {
            switch (error.code, entry.how) {
            case (.unlockDelayed, _) where !waits: break
            case (.storageFailed, .killed): break
            default: found.append(error.code.rawValue)
            }
        }
        return try found + inspectHeader()
    }

    /// Places in the header area that changed and are not rewritten by every attempt.
    func inspectHeader() throws(Failure) -> [String] {
        let now = try VaultFile(descriptor: held.descriptor).read(at: 0, count: VaultLayout.headerSize)
        guard now != before else { return [] }
        var changed: Set<String> = []
        for offset in now.indices where now[offset] != before[offset] {
            if let name = Self.name(ofHeaderByte: offset) { changed.insert(name) }
        }
        return changed.sorted()
    }

    /// nil for what every attempt rewrites: a plain page's counter, limiter and checksum.
    private static func name(ofHeaderByte offset: Int) -> String? {
        switch offset {
        case 0..<8192:
            switch offset % VaultLayout.pageSize {
            case 10, 64..<68, 72..<112, 4064..<4096: nil
            default: "plain page"
            }
        case 8192..<12288: "slot \((offset - 8192) / VaultLayout.slotSize)"
        case 16384..<81920: "key page \((offset - 16384) / VaultLayout.keyPageSize)"
        default: "unused header"
        }
    }

    /// The slices, byte by byte, and whether both spaces open with everything in them, on a copy.
    func inspectWholly() async throws(Failure) -> [String] {
        guard let now = FileManager.default.contents(atPath: path) else { throw Failure(.fileUnreadable) }
        var found = now.dropFirst(VaultLayout.headerSize) == whole.dropFirst(VaultLayout.headerSize) ? [] : ["slices"]
        let copy = path + ".copy"
        guard FileManager.default.createFile(atPath: copy, contents: now) else { throw Failure(.storageDiskFull) }
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let opened = try HeldVault(opening: copy)
        for passcode in [outer, inner] where try await messages(passcode, on: opened.descriptor) != 30 {
            found.append("a space is not whole")
        }
        return found
    }

    private func messages(_ passcode: String, on descriptor: Int32) async throws(Failure) -> Int {
        clock.advance(Limiter.longestDelay + 1000)
        switch try await ProverVault.over(descriptor, time: clock.source).unlock(passcode: secret(passcode)) {
        case .real(let factory), .decoy(let factory):
            let space = try await factory.open()
            guard let profile = try await space.lastProfile() else { return 0 }
            let store = try await space.openProfile(profile)
            let count = try await store.read { (reader) throws(Failure) in
                var count = 0
                for chat in try reader.chats() {
                    count += try reader.messages(in: chat.jid, before: nil, limit: 1000).count
                }
                return count
            }
            await store.close()
            await space.close()
            return count
        case .invalid: return -1
        }
    }

    /// Damages done on purpose, and whether each was noticed. The last is done for good.
    func controls() async throws(Failure) -> [(String, Bool)] {
        let file = VaultFile(descriptor: held.descriptor)
        var results: [(String, Bool)] = []
        for (name, offset) in [
            ("a bit of a plain page's salt", 32), ("a bit of a slot", 8192 + 5 * 512 + 100),
            ("a bit of the inner key page", 49152 + 300), ("a bit of an unused place", 90000),
        ] {
            let byte = try file.read(at: Int64(offset), count: 1)[0]
            try file.write([byte ^ 1], at: Int64(offset))
            results.append((name, try !inspectHeader().isEmpty))
            try file.write([byte], at: Int64(offset))
        }
        let last = Int64(whole.count - 1)
        let byte = try file.read(at: last, count: 1)[0]
        try file.write([byte ^ 1], at: last)
        results.append(("a bit of the last slice", try await inspectWholly().contains("slices")))
        try file.write([byte], at: last)
        clock.advance(Limiter.longestDelay + 1000)
        _ = try await ProverVault.over(held.descriptor, time: clock.source).unlock(passcode: secret(duress))
        results.append(("the duress passcode, entered as it is", try !inspectHeader().isEmpty))
        return results
    }
}

/// A clock that moves only when it is told to.
private final class SteppedClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_000_000)

    func advance(_ step: Int64) { milliseconds.withLock { $0 += step } }

    var source: TimeSource {
        TimeSource(
            now: { Timestamp(milliseconds: 1_700_000_000_000 + self.milliseconds.withLock { $0 }) },
            boottime: { self.milliseconds.withLock { $0 } }, bootID: { [UInt8](repeating: 1, count: 16) },
            sleep: { _ in })
    }
}

/// Lets nothing through from one access of the file on, as if the process had ended there.
private final class StopAt: Sendable {
    private let left = Mutex<Int?>(nil)

    func set(_ operation: Int?) { left.withLock { $0 = operation } }

    func consult(_ operation: VaultOperation) -> ProbeVerdict {
        left.withLock { left in
            guard let now = left else { return .proceed }
            left = max(0, now - 1)
            return now == 0 ? .fail(errno: EIO) : .proceed
        }
    }
}
