import Glibc
import Testing

@testable import HostPlatform

@Suite("The file system under the vault")
struct VaultFileSystemTests {
    @Test(
        "Each is known by its number (linux/magic.h)",
        arguments: [
            (0xEF53, .inPlace), (0x5846_5342, .inPlace), (0x9123_683E, .copyOnWrite), (0x2FC1_2FC1, .copyOnWrite),
            (0xCA45_1A4E, .copyOnWrite), (0x794C_7630, .layered), (0x0102_1994, .memory), (0x6969, .network),
            (0xFE53_4D42, .network), (0x6573_5546, .fuse), (0x4D44, .unknown), (-1, .unknown),
        ] as [(Int64, VaultFileSystem)])
    func types(type: Int64, kind: VaultFileSystem) { #expect(VaultFileSystem(type: type) == kind) }

    @Test("Of a file in memory it is said that it is in memory, and of what is no file that nothing is known")
    func files() throws {
        let path = "/dev/shm/postern-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        unlink(path)
        #expect(VaultFileSystem(descriptor: descriptor) == .memory)
        close(descriptor)
        #expect(VaultFileSystem(descriptor: -1) == .unknown)
    }

    @Test("Only where it is written in place nothing is said, and what is said names no certainty about spaces")
    func notes() {
        for system in VaultFileSystem.allCases {
            #expect((system.note == nil) == (system == .inPlace))
        }
    }
}
