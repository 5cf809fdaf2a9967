internal import CPlatform
import Glibc

/// A TCP socket, not blocking, closed when the last reference to it is gone.
final class SocketHandle: Sendable {
    /// What a call on a socket that does not block comes to.
    enum Outcome: Equatable {
        /// That many bytes; 0 from `read` is the end of the stream.
        case done(Int)
        case wouldBlock
        case failed(NetError)
    }

    let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Begins to connect; writability tells that it is decided, `connectError` how.
    static func connecting(to address: IPAddress, port: UInt16) -> SocketHandle? {
        let descriptor = socket(address.isIPv6 ? AF_INET6 : AF_INET, postern_stream_socket, 0)
        guard descriptor >= 0 else { return nil }
        let handle = SocketHandle(descriptor)
        var on: Int32 = 1
        // Stanzas are small and should not wait for each other.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        let result = address.withSocketAddress(port: port) { connect(descriptor, $0, $1) }
        return result == 0 || errno == EINPROGRESS || errno == EINTR ? handle : nil
    }

    /// 0 once connected.
    var connectError: Int32 {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        let outcome = outcome { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
        // Servers collect small writes until what they sent is acknowledged (Nagle); the kernel would let them wait 40 ms
        // for that, and forgets this wish from time to time.
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
        return outcome
    }

    /// Whether bytes wait in the kernel that nobody has read.
    var hasUnread: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) > 0
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        outcome { send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Says that nothing more will be written.
    func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    private func outcome(_ call: () -> Int) -> Outcome {
        while true {
            let count = call()
            if count >= 0 { return .done(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            case ETIMEDOUT: return .failed(NetError(.netTimeout))
            default: return .failed(NetError(.netClosed))
            }
        }
    }
}
