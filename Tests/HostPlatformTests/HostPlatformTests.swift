import Application
import Base
import Foundation
import Testing

@testable import HostPlatform

@Suite("The held vault file")
struct HeldVaultTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path

    private func code(_ body: () throws -> Void) -> ErrorCode? {
        do { try body() } catch let failure as Failure { return failure.code } catch { return nil }
        return nil
    }

    @Test("A vault that is not kept goes again; a kept one stays, private to its owner")
    func creation() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/a/b/vault"
        do { _ = try HeldVault(creating: path) }
        #expect(!FileManager.default.fileExists(atPath: path))
        do {
            var vault = try HeldVault(creating: path)
            vault.keep()
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        for parent in [folder, folder + "/a", folder + "/a/b"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: parent)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
        #expect(code { _ = try HeldVault(creating: path) } == .vaultExists)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("Only one program holds a vault")
    func busy() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var vault = try HeldVault(creating: folder + "/vault")
        vault.keep()
        #expect(code { _ = try HeldVault(opening: folder + "/vault") } == .vaultBusy)
    }

    @Test("Reading a vault leaves its access time alone")
    func accessTime() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var vault = try HeldVault(creating: folder + "/vault")
        vault.keep()
        // O_NOATIME, which Swift does not import.
        #expect(fcntl(vault.descriptor, F_GETFL) & 0o1_000_000 != 0)
    }

    @Test("What cannot be opened is told apart")
    func missing() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(code { _ = try HeldVault(opening: folder + "/vault") } == .vaultMissing)
        try FileManager.default.createDirectory(atPath: folder + "/vault", withIntermediateDirectories: true)
        #expect(code { _ = try HeldVault(opening: folder + "/vault") } == .vaultAccess)
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "/dev/null")
        #expect(code { _ = try HeldVault(opening: folder + "/link") } == .vaultAccess)
    }

    @Test(
        "The default place follows the XDG base directories",
        arguments: [
            (["XDG_DATA_HOME": "/x", "HOME": "/h"], "/x/postern/vault"),
            (["XDG_DATA_HOME": "relative", "HOME": "/h"], "/h/.local/share/postern/vault"),
            (["HOME": "/h"], "/h/.local/share/postern/vault"),
            ([:], nil),
        ] as [([String: String], String?)])
    func place(environment: [String: String], path: String?) {
        #expect(HeldVault.defaultPath { environment[$0] } == path)
    }
}

/// A pipe whose reading end has these bytes and then ends.
private func pipe(holding bytes: [UInt8]) -> Int32 {
    let pipe = Pipe()
    let copy = dup(pipe.fileHandleForReading.fileDescriptor)
    try? pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
    try? pipe.fileHandleForWriting.close()
    return copy
}

@Suite("Lines of input")
struct LineReaderTests {
    @Test("Lines end at a line feed or the end, and say what is wrong with them", arguments: [true, false])
    func lines(isShared: Bool) async throws {
        let long = [UInt8](repeating: 0x61, count: 30_000)
        let bytes = Array("one\n\ntwo\r\n".utf8) + [0xFF, 0x0A] + long + [0x0A] + Array("last".utf8)
        let descriptor = pipe(holding: bytes)
        defer { close(descriptor) }
        let reader = try LineReader(descriptor: descriptor, isShared: isShared)
        let expected: [InputLine] = [
            .line("one"), .line(""), .line("two\r"), .notUTF8, .line(String(repeating: "a", count: 30_000)),
            .line("last"), .end, .end,
        ]
        for line in expected { #expect(await reader.next() == line) }
    }

    @Test("A line of more than 64 KiB is skipped whole and the next one is read")
    func tooLong() async throws {
        let pipe = Pipe()
        let writer = Task.detached {
            try pipe.fileHandleForWriting.write(
                contentsOf: Data([UInt8](repeating: 0x61, count: LineReader.limit + 1) + Array("\nnext\n".utf8)))
            try pipe.fileHandleForWriting.close()
        }
        let reader = try LineReader(descriptor: pipe.fileHandleForReading.fileDescriptor, isShared: false)
        #expect(await reader.next() == .tooLong)
        #expect(await reader.next() == .line("next"))
        #expect(await reader.next() == .end)
        try await writer.value
    }
}

@Suite("Secrets from a descriptor")
struct SecretReaderTests {
    @Test("One line at a time is taken and nothing behind it")
    func lines() async throws {
        let descriptor = pipe(holding: Array("first\nsecond\nthird".utf8))
        defer { close(descriptor) }
        let reader = try SecretReader(terminal: nil) { _ in "" }
        for expected in ["first", "second", "third"] {
            let secret = try await reader.read(.passcode, descriptor: descriptor)
            #expect(secret.withUnsafeBytes { Array($0) } == Array(expected.utf8))
        }
        await #expect(throws: Failure(.inputSecretRequired)) {
            _ = try await reader.read(.passcode, descriptor: descriptor)
        }
    }

    @Test("An empty line is an empty secret, for its taker to refuse")
    func empty() async throws {
        let descriptor = pipe(holding: [0x0A])
        defer { close(descriptor) }
        let reader = try SecretReader(terminal: nil) { _ in "" }
        let secret = try await reader.read(.passcode, descriptor: descriptor)
        #expect(secret.count == 0)
    }

    @Test("Without a descriptor and a terminal, and from a closed descriptor, there is none")
    func refuses() async throws {
        let reader = try SecretReader(terminal: nil) { _ in "" }
        for descriptor in [nil, 1_000_000] as [Int32?] {
            await #expect(throws: Failure(.inputSecretRequired)) {
                _ = try await reader.read(.passcode, descriptor: descriptor)
            }
        }
    }

    @Test("A line of more than 1,024 bytes is refused")
    func bound() async throws {
        let descriptor = pipe(holding: [UInt8](repeating: 0x61, count: 1025) + [0x0A])
        defer { close(descriptor) }
        let reader = try SecretReader(terminal: nil) { _ in "" }
        await #expect(throws: Failure(.inputInvalid)) {
            _ = try await reader.read(.passcode, descriptor: descriptor)
        }
    }
}

@Suite("Files opened by the parent")
struct FileChannelTests {
    @Test("A regular file within the limit is read; anything else is refused")
    func reads() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("content".utf8).write(to: URL(fileURLWithPath: path))
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
        let server = FileChannelServer(socket: pair[0])
        let serving = Thread { while server.serve() {} }
        serving.start()
        let channel = FileChannel(socket: pair[1])
        #expect(try await channel.read(path: path, limit: 7) == Array("content".utf8))
        let refused: [(String, Int)] = [
            (path, 6), (path + "-not-there", 100), ("/dev/zero", 100), ("/", 100), ("", 100),
            (String(repeating: "x", count: 4097), 100),
        ]
        for (path, limit) in refused {
            await #expect(throws: Failure(.fileUnreadable)) { try await channel.read(path: path, limit: limit) }
        }
        close(pair[1])
    }

    @Test("The hand-over survives the way through arguments")
    func handover() {
        for log in [nil, 9] as [Int32?] {
            let handover = Handover(vault: 5, channel: 7, log: log, isNew: log == nil)
            var arguments = handover.arguments + ["shell", "--json"]
            #expect(Handover(takingFrom: &arguments) == handover)
            #expect(arguments == ["shell", "--json"])
        }
        var own = ["shell"]
        #expect(Handover(takingFrom: &own) == nil)
        #expect(own == ["shell"])
    }
}
