import Glibc

/// An IPv4 or IPv6 address.
package struct IPAddress: Hashable, Sendable {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    package var isIPv6: Bool { bytes.count == 16 }

    /// - Parameter bytes: 4 or 16 of them, in network order; nil otherwise.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Dotted decimal of four parts, or IPv6 text with or without brackets. Scopes and anything else give nil.
    package init?(_ text: String) {
        var text = text[...]
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        let family = text.utf8.contains(UInt8(ascii: ":")) ? AF_INET6 : AF_INET
        var buffer = [UInt8](repeating: 0, count: family == AF_INET6 ? 16 : 4)
        guard inet_pton(family, String(text), &buffer) == 1 else { return nil }
        bytes = buffer
    }

    static let loopback = [
        IPAddress(unchecked: [UInt8](repeating: 0, count: 15) + [1]), IPAddress(unchecked: [127, 0, 0, 1]),
    ]

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// The kernel's form of the address with a port, for the length of `body`.
    func withSocketAddress<Result>(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            return Self.rebound(&address, body)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
        return Self.rebound(&address, body)
    }

    private static func rebound<Address, Result>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
