import Base
import CVaultVFS
import Glibc
import SQLCipherKit

/// Inserts into a cell of a vault and into a plain file, same SQLCipher settings, on the disk of the current folder,
/// in turns and in alternating order; prints each one's median rate and the ratio of the medians.
func vaultBench() throws {
    let loads = [
        Load(name: "1000 rows a transaction", rows: 40_000, rowsPerTransaction: 1000),
        Load(name: "1 row a transaction", rows: 1500, rowsPerTransaction: 1),
    ]
    let folder = "postern-bench.\(getpid())"
    guard mkdir(folder, 0o700) == 0 else { throw Failure(.fileUnreadable) }
    defer { rmdir(folder) }
    for load in loads {
        var rates: (cell: [Double], file: [Double]) = ([], [])
        for round in 0..<9 {
            let isCellFirst = round % 2 == 0
            if isCellFirst { rates.cell.append(try cellRate(load, in: folder)) }
            rates.file.append(try fileRate(load, in: folder))
            if !isCellFirst { rates.cell.append(try cellRate(load, in: folder)) }
        }
        let (cell, file) = (median(rates.cell), median(rates.file))
        let ratio = Double(Int(cell / file * 1000)) / 1000
        print("vault: \(load.name): cell \(Int(cell)) rows/s, plain file \(Int(file)) rows/s, ratio \(ratio)")
    }
}

private struct Load {
    let name: String
    let rows: Int
    let rowsPerTransaction: Int
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Rows a second; the tables and an index are made before, closing comes after.
private func rate(_ load: Load, _ connection: Connection) throws(StorageError) -> Double {
    try connection.execute(
        """
        CREATE TABLE messages(id INTEGER PRIMARY KEY, chat INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL);
        CREATE INDEX messagesByChat ON messages(chat, at)
        """)
    let start = seconds()
    for first in stride(from: 0, to: load.rows, by: load.rowsPerTransaction) {
        try connection.transaction { (transaction) throws(StorageError) in
            for id in first..<(first + load.rowsPerTransaction) {
                try transaction.run(
                    "INSERT INTO messages(chat, at, body) VALUES(?1, ?2, ?3)", id % 50, id,
                    "message \(id), a line of ordinary length with a few words and a tail, so that it is like one")
            }
        }
    }
    let rate = Double(load.rows) / (seconds() - start)
    try connection.close()
    return rate
}

private func open(_ location: DatabaseLocation) throws(StorageError) -> Connection {
    let key = SecretBytes(count: 32) { bytes in for index in bytes.indices { bytes[index] = UInt8(index) } }
    return try Connection(
        location, key: key, salt: SecretBytes(count: 16), settings: ConnectionSettings(createsIfEmpty: true))
}

private func fileRate(_ load: Load, in folder: String) throws -> Double {
    let path = "\(folder)/file"
    defer { for suffix in ["", "-wal"] { unlink(path + suffix) } }
    sync()
    return try rate(load, open(.file(path)))
}

private func cellRate(_ load: Load, in folder: String) throws -> Double {
    let slices = 20
    let path = "\(folder)/vault"
    let fd = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard fd >= 0 else { throw Failure(.fileUnreadable) }
    defer {
        close(fd)
        unlink(path)
    }
    // Two regions' stripes of noise behind a header, all allocated and on disk, as `init` leaves them.
    var noise = [UInt64](repeating: 0, count: 1 << 17)
    var generator = SystemRandomNumberGenerator()
    for index in noise.indices { noise[index] = generator.next() }
    for stripe in 0...(2 * slices) {
        let written = noise.withUnsafeBytes { pwrite(fd, $0.baseAddress, $0.count, off_t(stripe) << 20) }
        guard written == 1 << 20 else { throw Failure(.storageDiskFull) }
    }
    fsync(fd)
    sync()
    let places = (0..<slices).map { UInt64(65536 + (2 * $0 + 1) << 20) }
    let cellKey = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64)
    for index in cellKey.indices { cellKey[index] = UInt8(index) }
    defer { cellKey.deallocate() }
    let result = postern_cell_register(
        "bench", fd, cellKey.baseAddress, POSTERN_PROFILE_LOG_SLICES, places, UInt32(slices), 1, nil, nil)
    guard result == 0 else { throw Failure(.internalFault) }
    defer { _ = postern_cell_unregister("bench") }
    return try rate(load, open(.named("bench", vfs: POSTERN_VFS_NAME)))
}
