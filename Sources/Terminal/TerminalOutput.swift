internal import CPlatform
import Glibc

/// Writes to a terminal, all of it or none more.
package struct TerminalOutput: Sendable {
    package let descriptor: Int32
    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Writes every byte, waiting where the terminal is slow.
    /// - Returns: false once the terminal is gone.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
            if count > 0 {
                done += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var interest = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&interest, 1, 1_000)
            default: return false
            }
        }
        return true
    }

    /// The terminal's size; 80×24 where it does not tell.
    package var size: Size {
        var columns: Int32 = 0
        var rows: Int32 = 0
        guard postern_terminal_size(descriptor, &columns, &rows) else { return Size(columns: 80, rows: 24) }
        return Size(columns: Int(columns), rows: Int(rows))
    }
}
