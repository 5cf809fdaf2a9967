import Glibc

/// All bytes of a file; nil where they are more than `limit`, or reading fails.
func readWhole(_ descriptor: Int32, limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0, bytes.count + count <= limit else { return nil }
        if count == 0 { return bytes }
        bytes += chunk[..<count]
    }
}
