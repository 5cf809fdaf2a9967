import Foundation
import Glibc

/// A TCP server on a loopback address that runs a script for each connection, on a thread of its own.
final class LoopbackServer: Sendable {
    let port: UInt16
    private let listener: Int32

    init(ipv6: Bool = false, port: UInt16 = 0, _ script: @escaping @Sendable (LoopbackConnection) -> Void) throws {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        listener = socket(ipv6 ? AF_INET6 : AF_INET, type, 0)
        var on: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        if ipv6 { setsockopt(listener, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<Int32>.size)) }
        // Small, so that a script that does not read is soon felt by the other side.
        var room: Int32 = 65_536
        setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        self.port = try bindLoopback(listener, ipv6: ipv6, port: port)
        guard listen(listener, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
        let listener = listener
        Thread.detachNewThread {
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                let connection = LoopbackConnection(descriptor)
                Thread.detachNewThread { script(connection) }
            }
            close(listener)
        }
    }

    /// A port at which nobody listens, kept from everybody else until the process ends.
    static func refusingPort(ipv6: Bool = false) throws -> UInt16 {
        let descriptor = socket(
            ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        return try bindLoopback(descriptor, ipv6: ipv6, port: 0)
    }

    /// Wakes the thread that accepts; it closes the listener.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}

/// A port of 127.0.0.1 that neither takes nor refuses connections: its line is full and nobody accepts.
final class DeafServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let line: [LoopbackConnection]

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        port = try bindLoopback(listener, ipv6: false, port: 0)
        // A line of length 0 still holds one.
        guard listen(listener, 0) == 0, let first = LoopbackConnection(connectingTo: port) else {
            throw POSIXError(.EADDRINUSE)
        }
        line = [first]
    }

    deinit { close(listener) }
}

/// Binds a socket to a loopback address; gives the port.
func bindLoopback(_ descriptor: Int32, ipv6: Bool, port: UInt16) throws -> UInt16 {
    var storage = sockaddr_storage()
    var size = socklen_t(0)
    if ipv6 {
        size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &storage) { $0.bindMemory(to: sockaddr_in6.self)[0] = loopback6(port) }
    } else {
        size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &storage) { $0.bindMemory(to: sockaddr_in.self)[0] = loopback4(port) }
    }
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
        }
    }
    guard result else { throw POSIXError(.EADDRINUSE) }
    return withUnsafeBytes(of: &storage) { UInt16($0[2]) << 8 | UInt16($0[3]) }
}

private func loopback4(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
}

private func loopback6(_ port: UInt16) -> sockaddr_in6 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    inet_pton(AF_INET6, "::1", &address.sin6_addr)
    return address
}

/// One connection of a server; closed when its script lets go.
final class LoopbackConnection: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects to a port of 127.0.0.1.
    convenience init?(connectingTo port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = loopback4(port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        self.init(descriptor)
        if result != 0 { return nil }
    }

    /// What came, at most 64 KiB; empty at the end.
    func read() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    /// Exactly that many bytes, or fewer at the end.
    func read(_ count: Int) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let got = recv(descriptor, &buffer, count, Int32(MSG_WAITALL))
        return Array(buffer.prefix(max(0, got)))
    }

    /// Everything until the other side's end.
    func readAll() -> [UInt8] {
        var all: [UInt8] = []
        while case let part = read(), !part.isEmpty { all += part }
        return all
    }

    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends with a reset instead of an end of stream.
    func resetWhenClosed() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }

    /// Carries bytes both ways until both sides have ended.
    func pipe(to other: LoopbackConnection) {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            while case let bytes = other.read(), !bytes.isEmpty { write(bytes) }
            finishWriting()
            isDone.signal()
        }
        while case let bytes = read(), !bytes.isEmpty { other.write(bytes) }
        other.finishWriting()
        isDone.wait()
    }
}
