import Application
import Base
import CryptoPrimitives
import Foundation
import Glibc
import ProfileStore
import Synchronization
import Testing

@testable import VaultStore

/// A vault file of a test, removed with it. Small, and stretched by the test KDF.
final class VaultOnDisk: Sendable {
    let path: String
    let descriptor: Int32
    let recorder = Recorder()
    let clock = TestClock()

    /// In memory where there is such a folder: what is synced here need not outlive the test.
    private static let folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

    init(bytes: [UInt8] = []) throws {
        path = "\(Self.folder)/postern-test-\(UUID().uuidString)"
        descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        if !bytes.isEmpty { try replace(bytes) }
    }

    deinit {
        Glibc.close(descriptor)
        unlink(path)
    }

    func replace(_ bytes: [UInt8]) throws {
        try #require(ftruncate(descriptor, 0) == 0)
        try patch(bytes, at: 0)
    }

    func patch(_ bytes: [UInt8], at offset: Int) throws {
        try #require(pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count)
    }

    func truncate(_ size: Int64) throws { try #require(ftruncate(descriptor, off_t(size)) == 0) }

    var bytes: [UInt8] { Array((try? Data(contentsOf: URL(filePath: path))) ?? Data()) }

    /// A fresh process's view: nothing is remembered but the file.
    func vault(
        kdf: KDFProfile = .testing, hasMemory: @escaping MasterKeySource.MemoryCheck = { _ in true },
        stores: ProfileStores = .real
    ) -> Vault {
        let recorder = recorder
        return Vault(
            file: VaultFile(descriptor: descriptor, probe: { recorder.consult($0) }), kdf: kdf,
            hasMemory: hasMemory, entropy: .system, time: clock.source, stores: stores)
    }

    /// A vault of `slices` slices a region with this outer passcode.
    static func made(slices: Int = 5, outer: String = "outer", kdf: KDFProfile = .testing) throws -> VaultOnDisk {
        let disk = try VaultOnDisk()
        try disk.vault(kdf: kdf).create(prepared: secret(outer), slices: slices) { _, _ in }
        return disk
    }

    /// The same with an inner space added.
    static func withBoth(slices: Int = 5, kdf: KDFProfile = .testing) async throws -> VaultOnDisk {
        let disk = try made(slices: slices, kdf: kdf)
        let space = try await disk.open("outer")
        try await space.addSpace(passcode: secret("inner"), weak: .allowed)
        await space.close()
        return disk
    }

    func unlock(_ passcode: String) async throws -> UnlockOutcome {
        try await vault().unlock(passcode: secret(passcode))
    }

    /// The space a passcode opens, in a new process.
    func open(
        _ passcode: String, stores: ProfileStores = .real
    ) async throws -> any SpacePort {
        switch try await vault(stores: stores).unlock(passcode: secret(passcode)) {
        case .real(let factory), .decoy(let factory): try await factory.open()
        case .invalid: throw Failure(.unlockInvalid)
        }
    }

    /// What a passcode opens, in a new process: the space is opened wholly and closed again.
    func role(_ passcode: String) async throws -> Role {
        switch try await unlock(passcode) {
        case .real(let factory):
            try await factory.open().close()
            return .real
        case .decoy(let factory):
            try await factory.open().close()
            return .decoy
        case .invalid: return .invalid
        }
    }
}

extension ProfileStores {
    static let real = ProfileStores(
        create: { (connection, password) throws(Failure) in
            try createProfileStore(connection: connection, password: password, entropy: .system)
        },
        open: { (connection) throws(Failure) in
            try openProfileStore(connection: connection, entropy: .system)
        })
}

enum Role: Equatable { case real, decoy, invalid }

func secret(_ text: String) -> SecretBytes { secret(Array(text.utf8)) }

func secret(_ bytes: [UInt8]) -> SecretBytes { SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) } }

/// A clock that a test sets.
final class TestClock: Sendable {
    struct Reading {
        var wall: Int64 = 1_700_000_000_000
        var boottime: Int64 = 100_000
        var bootID = [UInt8](repeating: 1, count: 16)
    }

    private let reading = Mutex(Reading())

    func advance(_ milliseconds: Int64) {
        reading.withLock {
            $0.wall += milliseconds
            $0.boottime += milliseconds
        }
    }

    func set(_ change: (inout Reading) -> Void) { reading.withLock { change(&$0) } }

    var source: TimeSource {
        TimeSource(
            now: { Timestamp(milliseconds: self.reading.withLock { $0.wall }) },
            boottime: { self.reading.withLock { $0.boottime } }, bootID: { self.reading.withLock { $0.bootID } },
            sleep: { _ in })
    }
}

/// Records what is done to the vault file, and stops it where a test wants.
final class Recorder: Sendable {
    private struct State {
        var operations: [VaultOperation] = []
        var isRecording = false
        var verdict: @Sendable (VaultOperation) -> ProbeVerdict = { _ in .proceed }
    }

    private let state = Mutex(State())

    func consult(_ operation: VaultOperation) -> ProbeVerdict {
        state.withLock { state in
            let verdict = state.verdict(operation)
            if state.isRecording { state.operations.append(operation) }
            return verdict
        }
    }

    func record(_ body: () async throws -> Void) async rethrows -> [VaultOperation] {
        state.withLock {
            $0.operations = []
            $0.isRecording = true
        }
        try await body()
        return state.withLock {
            $0.isRecording = false
            return $0.operations
        }
    }

    func decide(_ verdict: @escaping @Sendable (VaultOperation) -> ProbeVerdict) {
        state.withLock { $0.verdict = verdict }
    }
}
