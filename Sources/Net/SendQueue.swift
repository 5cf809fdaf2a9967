/// Bytes on their way to the wire, in order. Whoever fills it minds `hasRoom`; what TLS has to say goes in regardless.
struct SendQueue {
    /// Bytes offered to the kernel at once.
    private static let window = 65536

    private var chunks: [[UInt8]] = []
    /// First byte of the first chunk that is still to be sent.
    private var offset = 0
    private(set) var count = 0
    private let limit: Int

    /// - Parameter limit: bytes beyond which there is no room, except in an empty queue.
    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { count == 0 }

    func hasRoom(for bytes: Int) -> Bool { isEmpty || count + bytes <= limit }

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        count += bytes.count
        // Small pieces share a chunk, and so a call of the kernel.
        if let last = chunks.indices.last, last > 0, chunks[last].count + bytes.count <= Self.window {
            chunks[last] += bytes
        } else {
            chunks.append(bytes)
        }
    }

    /// Offers bytes from the front to `write` until it takes no more.
    /// - Returns: how many were taken, and the last outcome.
    mutating func flush(
        _ write: (UnsafeRawBufferPointer) -> SocketHandle.Outcome
    ) -> (taken: Int, outcome: SocketHandle.Outcome) {
        var taken = 0
        while let first = chunks.first {
            let outcome = first.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
            guard case .done(let written) = outcome else { return (taken, outcome) }
            taken += written
            count -= written
            offset += written
            if offset == first.count {
                chunks.removeFirst()
                offset = 0
            }
        }
        return (taken, .done(taken))
    }

    mutating func removeAll() {
        chunks = []
        offset = 0
        count = 0
    }
}
