import Application
import Foundation
import Testing

@testable import HostPlatform

@Suite("What doctor makes of a machine")
struct DoctorTests {
    /// `/proc` and `/sys` of a machine that has these files.
    private func machine(_ files: [String: String]) throws -> SystemFiles {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        for (path, text) in files {
            let file = URL(fileURLWithPath: root + path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return SystemFiles(root: root)
    }

    private static let head = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
    private static let partition = head + "/dev/a   partition\t8388604\t0\t-2\n"
    private static let file = head + "/swapfile   file\t8388604\t0\t-2\n"
    private static let hibernates = [
        "/sys/power/state": "freeze mem disk\n", "/sys/power/disk": "[platform] shutdown\n",
    ]
    private static let block = "/sys/dev/block/8:1"

    @Test(
        "Swap is judged by what it is written to, through every layer below it",
        arguments: [
            ("none", head, [:], Finding.Level.ok, Finding.Level.ok),
            ("a plain partition", partition, [block + "/size": "1"], .warn, .warn),
            ("an encrypted one", partition, [block + "/dm/uuid": "CRYPT-LUKS2-1234-swap\n"], .ok, .ok),
            (
                "one encrypted below LVM", partition,
                [block + "/dm/uuid": "LVM-abc\n", block + "/slaves/dm-0/dm/uuid": "CRYPT-LUKS2-1-x\n"], .ok, .ok
            ),
            (
                "one of two disks plain", partition,
                [block + "/slaves/dm-0/dm/uuid": "CRYPT-LUKS2-1-x\n", block + "/slaves/sdb/size": "1"], .warn, .warn
            ),
            ("compressed memory", partition, [block + "/comp_algorithm": "lzo\n"], .ok, .ok),
            ("a file on a plain disk", file, [block + "/size": "1"], .warn, .warn),
            ("a file on an encrypted disk", file, [block + "/dm/uuid": "CRYPT-LUKS2-1-x\n"], .ok, .ok),
            ("a file on a file system of several devices", file, [:], .note, .warn),
        ] as [(String, String, [String: String], Finding.Level, Finding.Level)])
    func swap(what: String, swaps: String, devices: [String: String], swap: Finding.Level, hibernation: Finding.Level)
        throws
    {
        let files = devices.merging(Self.hibernates) { $1 }.merging(["/proc/swaps": swaps]) { $1 }
        let system = try machine(files)
        defer { try? FileManager.default.removeItem(atPath: system.root) }
        let findings = SwapExamination(system: system, device: { _ in (8, 1) }).findings
        #expect(findings.map(\.topic) == [.swap, .hibernation])
        #expect(findings.map(\.level) == [swap, hibernation], "\(what)")
        for finding in findings { #expect((finding.level == .ok) == (finding.advice == nil)) }
    }

    @Test("A machine that cannot hibernate is not blamed for its swap twice", arguments: ["freeze mem\n", ""])
    func awake(states: String) throws {
        let system = try machine(["/proc/swaps": Self.partition, "/sys/power/state": states])
        defer { try? FileManager.default.removeItem(atPath: system.root) }
        let findings = SwapExamination(system: system, device: { _ in (8, 1) }).findings
        #expect(findings.map(\.level) == [.warn, .ok])
    }

    @Test(
        "A sandbox that is missing in part, or does not hold, is a warning with its name",
        arguments: [
            (Int32(7), true, true, Finding.Level.ok, "Landlock (version 7)"), (0, true, true, .warn, "no Landlock"),
            (3, false, true, .warn, "no seccomp"), (0, false, true, .warn, "no Landlock and no seccomp"),
            (7, true, false, .warn, "should not"),
        ])
    func sandbox(landlock: Int32, filter: Bool, holds: Bool, level: Finding.Level, words: String) {
        let finding = ProcessExamination.sandbox(landlock: landlock, filter: filter, holds: holds)
        #expect(finding.level == level && finding.text.contains(words))
    }

    @Test("What was tried on this machine holds, and the memory for keys is counted as locked by the kernel")
    func here() {
        let findings = ProcessExamination().findings
        #expect(findings.first { $0.topic == .sandbox }?.level == .ok)
        #expect(findings.first { $0.topic == .memory }?.level == .ok)
    }

    @Test(
        "A clock before this version was written is wrong; one that nothing keeps right is a note",
        arguments: [
            (1_000_000_000, true, Finding.Level.warn), (1_900_000_000, false, .note), (1_900_000_000, true, .ok),
        ])
    func clock(seconds: Int, isSynchronised: Bool, level: Finding.Level) {
        #expect(SurroundingsExamination.clock(seconds: seconds, isSynchronised: isSynchronised).level == level)
    }

    @Test(
        "Only a file system that writes in place is sound, and no other is praised", arguments: VaultFileSystem.allCases
    )
    func fileSystem(kind: VaultFileSystem) {
        #expect((SurroundingsExamination.fileSystem(kind).level == .ok) == (kind == .inPlace))
    }

    @Test("Files that others may open are told, and how to close them")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func finding(_ path: String?) -> Finding? {
            SurroundingsExamination(vault: path, environment: { _ in nil }).findings.first { $0.topic == .files }
        }
        #expect(finding(nil)?.level == .warn)
        #expect(finding(folder + "/vault")?.level == .note)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        _ = FileManager.default.createFile(
            atPath: folder + "/vault", contents: nil, attributes: [.posixPermissions: 0o600])
        #expect(finding(folder + "/vault")?.level == .ok)
        chmod(folder + "/vault", 0o640)
        #expect(finding(folder + "/vault")?.level == .warn)
        chmod(folder + "/vault", 0o600)
        chmod(folder, 0o755)
        #expect(finding(folder + "/vault")?.level == .note)
        symlink("/dev/null", folder + "/link")
        #expect(finding(folder + "/link")?.level == .warn)
        #expect(finding(folder)?.level == .warn)
    }
}

@Suite("A sleep that nobody announced")
struct SleepTests {
    @Test("A jump between the clocks locks once; their unevenness does not")
    func jump() {
        var slept: Int64 = 5_000
        let signals = LockSignals(slept: { slept })
        let (interests, _) = signals.interests()
        #expect(interests.count == 2)
        #expect(!signals.wantsLock(interests[...]))
        slept += 1_999
        #expect(!signals.wantsLock(interests[...]))
        slept += 2_000
        #expect(signals.wantsLock(interests[...]))
        #expect(!signals.wantsLock(interests[...]))
    }
}
