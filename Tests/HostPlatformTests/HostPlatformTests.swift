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

/// A parent's and a child's end of one channel; the parent serves on a thread of its own.
private func channels(didEnd: @escaping @Sendable () -> Void = {}) throws -> (ChildChannel, ParentChannel) {
    var pair: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
    let parent = ChildChannel(socket: pair[0])
    Thread {
        var waiting = pollfd(fd: parent.socket, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, -1) > 0, parent.serve() {}
    }.start()
    return (parent, try ParentChannel(socket: pair[1], didEnd: didEnd))
}

@Suite("The channel between parent and child")
struct ChannelTests {
    private static let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    private static func numbered(_ index: Int) -> String {
        "-----BEGIN CERTIFICATE-----\n\(index)\n-----END CERTIFICATE-----\n"
    }
    private static let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"

    @Test("A file of certificates within the limit is read; whatever else a child asks for is refused")
    func reads() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (parent, child) = try channels()
        defer { shutdown(parent.socket, Int32(SHUT_RDWR)) }
        try Data(Self.certificate.utf8).write(to: URL(fileURLWithPath: path))
        let size = Self.certificate.utf8.count
        #expect(try await child.read(path: path, limit: size) == Array(Self.certificate.utf8))
        let refused: [(String, Int)] = [
            (path, size - 1), (path + "-not-there", 100), ("/dev/zero", 100), ("/", 100), ("", 100),
            (String(repeating: "x", count: 4096), 100), (String(repeating: "x", count: 4097), 100), ("a\0b", 100),
        ]
        for (path, limit) in refused {
            await #expect(throws: Failure(.fileUnreadable)) { try await child.read(path: path, limit: limit) }
        }
        for around in ["user:password\n", "-----END CERTIFICATE-----\nuser:password\n"] {
            try Data((around + Self.certificate + around + "\r\n" + Self.certificate).utf8).write(
                to: URL(fileURLWithPath: path))
            #expect(try await child.read(path: path, limit: 1000) == Array((Self.certificate + Self.certificate).utf8))
        }
        let openEnded = "-----BEGIN CERTIFICATE-----\nuser:password\n"
        for content in [
            "", "root:x:0:0\n", Self.key, Self.certificate + Self.key, Self.key + Self.certificate, openEnded,
        ] {
            try Data(content.utf8).write(to: URL(fileURLWithPath: path))
            await #expect(throws: Failure(.tlsAuthorityFile)) { try await child.read(path: path, limit: 1000) }
        }
        try Data((Self.certificate + String(repeating: "\n", count: 1 << 20)).utf8).write(
            to: URL(fileURLWithPath: path))
        await #expect(throws: Failure(.fileUnreadable)) { try await child.read(path: path, limit: 2 << 20) }
    }

    @Test("The resolver's configuration comes as a copy that cannot be written")
    func configuration() async throws {
        let (parent, child) = try channels()
        defer { shutdown(parent.socket, Int32(SHUT_RDWR)) }
        let expected = FileManager.default.contents(atPath: "/etc/resolv.conf")
        let copy = await child.resolverConfiguration()
        #expect((copy == nil) == (expected == nil))
        guard let copy else { return }
        defer { close(copy) }
        #expect(readWhole(copy, limit: 1 << 20) == expected.map(Array.init))
        #expect(write(copy, "x", 1) == -1 && errno == EPERM)
    }

    @Test("Requests at once get each its own answer, with locks between")
    func order() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (parent, child) = try channels()
        defer { shutdown(parent.socket, Int32(SHUT_RDWR)) }
        for index in 0..<20 where index % 3 != 0 {
            try Data(Self.numbered(index).utf8).write(to: URL(fileURLWithPath: folder + "/\(index)"))
        }
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<20 {
                group.addTask {
                    parent.lock()
                    let bytes = try? await child.read(path: folder + "/\(index)", limit: 1000)
                    #expect(bytes == (index % 3 == 0 ? nil : Array(Self.numbered(index).utf8)))
                }
            }
        }
        var requests = child.lockRequests.makeAsyncIterator()
        #expect(await requests.next() != nil)
    }

    @Test("A child that does not read its answers is left alone, and its parent is not held up")
    func deafChild() throws {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
        defer { for end in pair { close(end) } }
        let parent = ChildChannel(socket: pair[0])
        // More than the system lets wait in a socket.
        var served = 0
        while served < 100_000, send(pair[1], "?", 1, Int32(MSG_DONTWAIT)) == 1, parent.serve() { served += 1 }
        #expect(served < 100_000)
        parent.lock()
    }

    @Test("When the parent is gone, who waits is refused, and the child is told")
    func ends() async throws {
        let (ended, end) = AsyncStream<Void>.makeStream()
        let (parent, child) = try channels { end.yield() }
        shutdown(parent.socket, Int32(SHUT_RDWR))
        var endings = ended.makeAsyncIterator()
        #expect(await endings.next() != nil)
        await #expect(throws: Failure(.fileUnreadable)) { try await child.read(path: "/etc/hosts", limit: 1000) }
        var requests = child.lockRequests.makeAsyncIterator()
        #expect(await requests.next() == nil)
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
