internal import CPlatform
import Glibc

/// The parent's end of the socket to its child: it opens files on a person's behalf, and passes on what locks.
///
/// Whoever has taken the child over can ask, too. So of a regular file of at most 1 MiB only the certificates come, as
/// a copy in memory, and nothing where there is a key beside them; and nobody is waited for, since the parent has to
/// end a child that does not lock.
struct ChildChannel {
    private static let limit = 1 << 20
    private static let resolverConfiguration = "/etc/resolv.conf"

    let socket: Int32

    /// Answers one request. False when the child has closed its end, or does not read its answers.
    func serve() -> Bool {
        var request = [UInt8](repeating: 0, count: ChannelPacket.longestPath + 2)
        let count = recv(socket, &request, request.count, Int32(MSG_DONTWAIT))
        if count < 0 { return errno == EINTR || errno == EAGAIN }
        guard count > 0 else { return false }
        let words = request[1..<count]
        switch ChannelPacket(rawValue: request[0]) {
        case .authorities where words.count <= ChannelPacket.longestPath && !words.contains(0):
            guard let bytes = contents(of: String(decoding: words, as: UTF8.self)) else { return answer(.unreadable) }
            guard let certificates = Self.certificates(in: bytes) else { return answer(.noAuthorities) }
            return answer(certificates)
        case .resolver where words.isEmpty:
            guard let bytes = contents(of: Self.resolverConfiguration) else { return answer(.unreadable) }
            return answer(bytes)
        default: return answer(.unreadable)
        }
    }

    /// Tells the child to lock. It may be too late, or too busy: who asks waits for its end, and not for ever.
    func lock() { _ = postern_send_descriptor(socket, ChannelPacket.lock.rawValue, -1) }

    private func contents(of path: String) -> [UInt8]? {
        // Not blocking, so that a FIFO does not hold the parent up.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return readWhole(descriptor, limit: Self.limit)
    }

    /// The certificates of a text (RFC 7468) without what stands around them; nil where there is none, or anything else
    /// between such marks.
    static func certificates(in bytes: [UInt8]) -> [UInt8]? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard !text.contains("PRIVATE KEY-----") else { return nil }
        var certificates: [Substring] = []
        var block: [Substring] = []
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("-----BEGIN ") {
                guard line.contains("CERTIFICATE-----") else { return nil }
                block = [line]
            } else if !block.isEmpty {
                block.append(line)
                guard line.hasPrefix("-----END ") else { continue }
                certificates += block
                block = []
            }
        }
        return certificates.isEmpty ? nil : Array((certificates.joined(separator: "\n") + "\n").utf8)
    }

    private func answer(_ bytes: [UInt8]) -> Bool {
        let copy = postern_sealed_copy(bytes, bytes.count)
        guard copy >= 0 else { return answer(.unreadable) }
        defer { close(copy) }
        return postern_send_descriptor(socket, ChannelPacket.file.rawValue, copy) == 0
    }

    private func answer(_ packet: ChannelPacket) -> Bool { postern_send_descriptor(socket, packet.rawValue, -1) == 0 }
}
