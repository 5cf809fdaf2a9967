import Glibc
import Recorder
import Testing

/// What was done to a vault file, below Swift and C, with notes of the test's between: the order in which calls ended.
struct Recording: Sendable {
    enum Step: Sendable, Equatable {
        case write(offset: Int, bytes: [UInt8])
        /// Steps before this index are durable; later ones had not ended when it began.
        case sync(covers: Int)
        case truncate(Int)
        case note(String)
    }

    private(set) var steps: [Step] = []

    /// Runs `body` and records what it does to the file behind `descriptor`, whoever calls. One at a time.
    static func of(_ descriptor: Int32, _ body: () async throws -> Void) async throws -> Recording {
        try #require(postern_record_start(descriptor, memory, size) == 0)
        do { try await body() } catch {
            _ = postern_record_stop()
            throw error
        }
        let length = postern_record_stop()
        try #require(length >= 0, "the record is too long")
        return Recording(UnsafeRawBufferPointer(start: memory, count: Int(length)))
    }

    /// Notes something in the record that is going on.
    static func note(_ text: String) {
        Array(text.utf8).withUnsafeBytes { postern_record_note($0.baseAddress, $0.count) }
    }

    /// - Parameter bytes: entries as `recorder.h` describes them.
    init(_ bytes: UnsafeRawBufferPointer) {
        var at = 0
        var starts: [Int] = []
        while at + MemoryLayout<postern_recorded>.size <= bytes.count {
            let entry = bytes.loadUnaligned(fromByteOffset: at, as: postern_recorded.self)
            let content = at + MemoryLayout<postern_recorded>.size
            let count = Int(entry.count)
            switch Int(entry.kind) {
            case POSTERN_RECORDED_WRITE:
                steps.append(.write(offset: Int(entry.offset), bytes: Array(bytes[content..<(content + count)])))
            case POSTERN_RECORDED_SYNC:
                let covers = starts.firstIndex { $0 >= Int(entry.offset) } ?? starts.count
                steps.append(.sync(covers: covers))
            case POSTERN_RECORDED_TRUNCATE: steps.append(.truncate(Int(entry.offset)))
            case POSTERN_RECORDED_NOTE:
                steps.append(.note(String(decoding: bytes[content..<(content + count)], as: UTF8.self)))
            default: return
            }
            starts.append(at)
            at += (MemoryLayout<postern_recorded>.size + count + 15) / 16 * 16
        }
    }

    /// The bytes written, by place.
    var written: [Range<Int>] {
        steps.compactMap { step in
            guard case .write(let offset, let bytes) = step else { return nil }
            return offset..<(offset + bytes.count)
        }
    }

    private static let size = 1 << 30
    /// Taken from the system page by page as it is used.
    private nonisolated(unsafe) static let memory: UnsafeMutableRawPointer? = {
        // Written once, at the first use; afterwards only the one record that is going on writes into it.
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        return memory == MAP_FAILED ? nil : memory
    }()
}
