internal import Glibc

extension MasterKeySource {
    /// Whether the kernel says that so many bytes are available, and lets this process map them.
    package static let systemMemory: MemoryCheck = { bytes in
        if let available = availableMemory(), available < bytes { return false }
        // Address-space limits and strict overcommit show here; nothing is touched.
        guard
            let probe = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            probe != MAP_FAILED
        else { return false }
        munmap(probe, bytes)
        return true
    }

    /// MemAvailable of /proc/meminfo in bytes; nil where it cannot be read (then the mapping decides).
    private static func availableMemory() -> Int? {
        let descriptor = open("/proc/meminfo", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let text = String(decoding: buffer.prefix(count), as: UTF8.self)
        for line in text.split(separator: "\n") where line.hasPrefix("MemAvailable:") {
            return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
        }
        return nil
    }
}
