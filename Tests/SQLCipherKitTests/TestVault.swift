import Base
import CVaultVFS
import Glibc
import Synchronization

@testable import SQLCipherKit

/// A vault file of noise with two regions' slices interleaved; a test's cell lies in region 1.
final class TestVault {
    static let header = 65536
    let path: String
    private(set) var fd: Int32
    private let key: UnsafeMutableRawPointer
    private let slices: [UInt64]
    private let state: Slices
    private let name: String
    let databaseKey = SecretBytes(count: 32) { bytes in for index in bytes.indices { bytes[index] = UInt8(index) } }
    let salt = SecretBytes(count: 16) { bytes in for index in bytes.indices { bytes[index] = UInt8(200 + index) } }

    /// What the growing callback sees.
    private final class Slices {
        let all: [UInt64]
        var count: Int
        var limit: Int
        init(all: [UInt64], count: Int, limit: Int) {
            self.all = all
            self.count = count
            self.limit = limit
        }
    }

    private static let counter = Atomic<Int>(0)

    /// - Parameters:
    ///   - count: slices the cell has at first, its 2 log slices included.
    ///   - path: a vault that is there already, to be opened again.
    init(count: Int = 3, limit: Int = 12, path existing: String? = nil) throws {
        let number = Self.counter.add(1, ordering: .relaxed).newValue
        name = "test\(getpid()).\(number)"
        path = existing ?? "/tmp/postern-vfs-\(name)"
        fd = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard fd >= 0 else { throw StorageError(.storageFailed) }
        key = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
        for index in 0..<64 { key.storeBytes(of: UInt8(index * 3), toByteOffset: index, as: UInt8.self) }
        slices = (0..<limit).map { UInt64(Self.header + (2 * $0 + 1) * (1 << 20)) }
        state = Slices(all: slices, count: count, limit: limit)
        if existing == nil { try fill(2 * limit) }
    }

    deinit {
        _ = postern_cell_unregister(name)
        close(fd)
        unlink(path)
        key.deallocate()
    }

    private func fill(_ stripes: Int) throws {
        var random = SplitMix(seed: 11)
        var noise = [UInt64](repeating: 0, count: 1 << 17)
        for stripe in 0...stripes {
            for index in noise.indices { noise[index] = random.next() }
            let written = noise.withUnsafeBytes { pwrite(fd, $0.baseAddress, $0.count, off_t(stripe << 20)) }
            guard written == 1 << 20 else { throw StorageError(.storageFailed) }
        }
    }

    var limit: Int {
        get { state.limit }
        set { state.limit = newValue }
    }

    func flipKey() { key.storeBytes(of: ~key.load(as: UInt8.self), as: UInt8.self) }

    /// Registers the cell (again) and opens it.
    func open(fresh: Bool = false, settings: ConnectionSettings? = nil) throws -> Connection {
        _ = postern_cell_unregister(name)
        let result = postern_cell_register(
            name, fd, key, 2, slices, UInt32(state.count), fresh ? 1 : 0,
            { context, position in
                guard let context else { return 0 }
                let state = Unmanaged<Slices>.fromOpaque(context).takeUnretainedValue()
                guard Int(position) == state.count, state.count < state.limit else { return 0 }
                state.count += 1
                return state.all[state.count - 1]
            }, Unmanaged.passUnretained(state).toOpaque())
        guard result == 0 else { throw StorageError(.storageFailed, result: result) }
        return try Connection(
            .named(name, vfs: POSTERN_VFS_NAME), key: databaseKey, salt: salt,
            settings: settings ?? ConnectionSettings(createsIfEmpty: fresh, checkpointFrames: 200))
    }

    func bytes() -> [UInt8] {
        let count = Int(lseek(fd, 0, SEEK_END))
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = pread(fd, buffer.baseAddress, count, 0)
        }
    }

    func flip(byte offset: Int) {
        var byte: UInt8 = 0
        pread(fd, &byte, 1, off_t(offset))
        byte ^= 1
        pwrite(fd, &byte, 1, off_t(offset))
    }

    /// Where the database's page `page` (from 0) lies in the file.
    func place(ofPage page: Int) -> Int { Int(slices[2 + page / 256]) + page % 256 * 4096 }
}

/// SplitMix64: the same numbers in every run.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// A database in memory-backed storage of its own, for what has nothing to do with cells.
final class TestFile {
    let path: String
    private static let counter = Atomic<Int>(0)
    let key = SecretBytes(count: 32) { bytes in for index in bytes.indices { bytes[index] = UInt8(255 - index) } }
    let salt = SecretBytes(count: 16)
    init() { path = "/tmp/postern-db-\(getpid()).\(Self.counter.add(1, ordering: .relaxed).newValue)" }
    deinit { for suffix in ["", "-wal", "-journal"] { unlink(path + suffix) } }
    func open(createsIfEmpty: Bool = true) throws -> Connection {
        try Connection(
            .file(path), key: key, salt: salt, settings: ConnectionSettings(createsIfEmpty: createsIfEmpty))
    }
}
