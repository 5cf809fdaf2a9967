import Base
import Foundation
import Testing

@testable import SQLCipherKit

@Suite struct WipeTests {
    @Test func `After closing, nothing of a database's content is left in the process`() async {
        // In a process of its own: SQLite's allocator is chosen before its first use.
        await #expect(processExitsWith: .success) {
            let vault = try TestVault()
            let connection = try vault.open(fresh: true)
            try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
            for _ in 0..<500 {
                try connection.withStatement("INSERT INTO t(body) VALUES(?1)") { (statement) throws(StorageError) in
                    let marker = SecretBytes(count: Marker.length) { bytes in
                        for index in bytes.indices { bytes[index] = Marker.byte(index) }
                    }
                    try statement.bind(secret: marker, at: 1)
                    _ = try statement.step()
                }
            }
            let read = try connection.first("SELECT body FROM t WHERE id = 250") { (row) in row.secret(0).count }
            #expect(read == Marker.length)
            // What could not be found could not be missed.
            #expect(Marker.occurrences() > 100)
            try connection.close()
            #expect(Marker.occurrences() == 0)
        }
    }
}

/// Bytes that are computed one by one, so that looking for them leaves no copy of them.
private enum Marker {
    static let length = 96
    static func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index * index * 7 + index * 13 + 101) }

    /// How often they stand in the writable memory of this process.
    static func occurrences() -> Int {
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return -1 }
        let memory = open("/proc/self/mem", O_RDONLY)
        defer { close(memory) }
        let size = 1 << 20
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: size + length, alignment: 16)
        defer { chunk.deallocate() }
        let own = UInt(bitPattern: chunk.baseAddress)
        var count = 0
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard words[1].hasPrefix("rw"), bounds.count == 2 else { continue }
            var place = bounds[0]
            while place < bounds[1] {
                let wanted = min(Int(bounds[1] - place), chunk.count)
                let got = pread(memory, chunk.baseAddress, wanted, off_t(place))
                if got >= length {
                    for start in 0...(got - length) where chunk[start] == byte(0) {
                        let address = place + UInt(start)
                        if address >= own && address < own + UInt(chunk.count) { continue }
                        if (0..<length).allSatisfy({ chunk[start + $0] == byte($0) }) { count += 1 }
                    }
                }
                place += UInt(size)
            }
        }
        return count
    }
}
