import Base
import CVaultVFS
import Glibc
import SQLCipherKit

/// Inserts into a cell of a vault and into a plain file, same SQLCipher settings, on the disk of the current folder, in
/// short turns and alternating order, so that whatever else the machine does meets both; prints each one's median rate
/// and the ratio of the medians.
func vaultBench() throws {
    let loads = [
        Load(name: "1000 rows a transaction", rowsPerTransaction: 1000, transactionsPerTurn: 4, turns: 21),
        Load(name: "1 row a transaction", rowsPerTransaction: 1, transactionsPerTurn: 200, turns: 21),
    ]
    let folder = "postern-bench.\(getpid())"
    guard mkdir(folder, 0o700) == 0 else { throw Failure(.fileUnreadable) }
    defer { rmdir(folder) }
    for load in loads {
        let file = try PlainFile(path: "\(folder)/file", load: load)
        let cell = try VaultCell(path: "\(folder)/vault", load: load)
        for turn in 0..<load.turns {
            for isCell in turn % 2 == 0 ? [true, false] : [false, true] {
                if isCell { try cell.inserts.turn() } else { try file.inserts.turn() }
            }
        }
        let (cellRate, fileRate) = (cell.inserts.medianRate, file.inserts.medianRate)
        let ratio = Double(Int(cellRate / fileRate * 1000)) / 1000
        print("vault: \(load.name): cell \(Int(cellRate)) rows/s, plain file \(Int(fileRate)) rows/s, ratio \(ratio)")
    }
}

private struct Load {
    let name: String
    let rowsPerTransaction: Int
    let transactionsPerTurn: Int
    let turns: Int
}

/// A database that is being filled, and how fast each turn went.
private final class Inserts {
    private let load: Load
    private let connection: Connection
    private var rows = 0
    private var rates: [Double] = []

    init(_ location: DatabaseLocation, load: Load) throws(StorageError) {
        self.load = load
        let key = SecretBytes(count: 32) { bytes in for index in bytes.indices { bytes[index] = UInt8(index) } }
        connection = try Connection(
            location, key: key, salt: SecretBytes(count: 16), settings: ConnectionSettings(createsIfEmpty: true))
        try connection.execute(
            """
            CREATE TABLE messages(
                id INTEGER PRIMARY KEY, chat INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL);
            CREATE INDEX messagesByChat ON messages(chat, at)
            """)
    }

    var medianRate: Double { median(rates) }

    func turn() throws(StorageError) {
        let start = seconds()
        let first = rows
        for _ in 0..<load.transactionsPerTurn {
            try connection.transaction { (transaction) throws(StorageError) in
                for _ in 0..<load.rowsPerTransaction {
                    try transaction.run(
                        "INSERT INTO messages(chat, at, body) VALUES(?1, ?2, ?3)", rows % 50, rows,
                        "message \(rows), a line of ordinary length with a few words and a tail, like any other")
                    rows += 1
                }
            }
        }
        rates.append(Double(rows - first) / (seconds() - start))
    }

    func close() { try? connection.close() }
}

private final class PlainFile {
    let inserts: Inserts
    private let path: String

    init(path: String, load: Load) throws(StorageError) {
        self.path = path
        inserts = try Inserts(.file(path), load: load)
    }

    deinit {
        inserts.close()
        for suffix in ["", "-wal"] { unlink(path + suffix) }
    }
}

/// A cell in a file of two regions' stripes of noise behind a header, all allocated and on disk, as `init` leaves it.
private final class VaultCell {
    let inserts: Inserts
    private let path: String
    private let fd: Int32
    private let key: UnsafeMutableBufferPointer<UInt8>

    init(path: String, load: Load) throws {
        let slices = 40
        self.path = path
        let fd = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard fd >= 0 else { throw Failure(.fileUnreadable) }
        self.fd = fd
        var noise = [UInt64](repeating: 0, count: 1 << 17)
        var generator = SystemRandomNumberGenerator()
        for index in noise.indices { noise[index] = generator.next() }
        for stripe in 0...(2 * slices) {
            let written = noise.withUnsafeBytes { pwrite(fd, $0.baseAddress, $0.count, off_t(stripe) << 20) }
            guard written == 1 << 20 else { throw Failure(.storageDiskFull) }
        }
        guard fsync(fd) == 0 else { throw Failure(.storageFailed) }
        let key = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64)
        for index in key.indices { key[index] = UInt8(index) }
        self.key = key
        let places = (0..<slices).map { UInt64(131072 + (2 * $0 + 1) << 20) }
        let result = postern_cell_register(
            "bench", fd, key.baseAddress, POSTERN_PROFILE_LOG_SLICES, places, UInt32(slices - 1), 1, nil, nil)
        guard result == 0 else { throw Failure(.internalFault) }
        inserts = try Inserts(.named("bench", vfs: POSTERN_VFS_NAME), load: load)
    }

    deinit {
        inserts.close()
        _ = postern_cell_unregister("bench")
        close(fd)
        unlink(path)
        key.deallocate()
    }
}
