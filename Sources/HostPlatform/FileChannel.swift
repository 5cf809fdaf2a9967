import Application
package import Base
internal import CPlatform
import Glibc

/// The parent's end: opens the files that the child asks for on a person's behalf, for reading, regular ones only.
struct FileChannelServer {
    let socket: Int32

    /// Answers one request. False when the child has closed its end.
    func serve() -> Bool {
        var request = [UInt8](repeating: 0, count: 4097)
        let count = recv(socket, &request, request.count - 1, 0)
        guard count > 0 else { return false }
        let path = request.prefix(count)
        let descriptor = path.contains(0) ? -1 : openRegularFile(String(decoding: path, as: UTF8.self))
        let sent = postern_send_descriptor(socket, descriptor >= 0 ? 1 : 0, descriptor)
        if descriptor >= 0 { close(descriptor) }
        return sent == 0
    }

    private func openRegularFile(_ path: String) -> Int32 {
        // Not blocking, so that a FIFO does not hold the parent up.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return -1 }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return -1
        }
        return descriptor
    }
}

/// The child's end.
package actor FileChannel: FileOpening {
    private let socket: Int32

    /// - Parameter socket: a sequenced-packet socket to the parent; kept for the life of the process.
    package init(socket: Int32) { self.socket = socket }

    package func read(path: String, limit: Int) throws(Failure) -> [UInt8] {
        let request = Array(path.utf8)
        guard (1...4096).contains(request.count),
            send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
        else { throw Failure(.fileUnreadable) }
        var status: UInt8 = 0
        var descriptor: Int32 = -1
        guard postern_receive_descriptor(socket, &status, &descriptor) == 0, status == 1, descriptor >= 0
        else { throw Failure(.fileUnreadable) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(.fileUnreadable) }
            if count == 0 { return Array(bytes.prefix(filled)) }
            filled += count
        }
        throw Failure(.fileUnreadable)
    }
}
