import Base

/// The client's side of a SOCKS5 dialogue (RFC 1928, user names by RFC 1929): bytes in, bytes out.
///
/// Names go to the proxy as they are, so that it alone resolves them.
struct SOCKS5Machine {
    enum Action: Equatable {
        case send([UInt8])
        /// From here on the connection belongs to the stream; nothing of it was taken.
        case finish
        case fail(NetError)
    }

    private enum State {
        case awaitingMethod
        case awaitingLogin
        case awaitingReply
        case ended
    }

    private var state = State.awaitingMethod
    private var buffer: [UInt8] = []
    private let request: [UInt8]
    private let login: [UInt8]?

    /// - Parameters:
    ///   - host: A-labels or an IP literal, at most 255 bytes.
    ///   - login: user name and password, each of 1 to 255 bytes.
    /// - Throws: `net.proxy` when something has no place in the protocol.
    init(host: String, port: UInt16, login: SOCKS5Credentials?) throws(NetError) {
        var request: [UInt8] = [5, 1, 0]
        if let address = IPAddress(host) {
            request += [address.isIPv6 ? 4 : 1] + address.bytes
        } else {
            guard (1...255).contains(host.utf8.count) else { throw NetError(.netProxy) }
            request += [3, UInt8(host.utf8.count)] + Array(host.utf8)
        }
        self.request = request + [UInt8(port >> 8), UInt8(port & 0xff)]
        guard let login else {
            self.login = nil
            return
        }
        var message: [UInt8] = [1]
        for part in [login.user, login.password] {
            guard (1...255).contains(part.bytes.count) else { throw NetError(.netProxy) }
            message.append(UInt8(part.bytes.count))
            part.bytes.withUnsafeBytes { message.append(contentsOf: $0) }
        }
        self.login = message
    }

    /// The first message: which ways of login there are.
    var greeting: [UInt8] { login == nil ? [5, 1, 0] : [5, 2, 0, 2] }

    /// How many bytes to read at most before the next `didReceive`: never more than the proxy's own part, so that the
    /// first bytes of the stream behind it stay where they are.
    var wanted: Int {
        switch state {
        case .awaitingMethod, .awaitingLogin: 2 - buffer.count
        case .awaitingReply: max(1, replyLength - buffer.count)
        case .ended: 0
        }
    }

    mutating func didReceive(_ bytes: [UInt8]) -> [Action] {
        guard bytes.count <= wanted else { return fail(.netProxy) }
        buffer += bytes
        switch state {
        case .awaitingMethod: return buffer.count < 2 ? [] : didReceiveMethod()
        case .awaitingLogin: return buffer.count < 2 ? [] : didReceiveLogin()
        case .awaitingReply: return didReceiveReply()
        case .ended: return []
        }
    }

    private mutating func didReceiveMethod() -> [Action] {
        guard buffer[0] == 5 else { return fail(.netProxy) }
        switch (buffer[1], login) {
        case (0, _): return proceed(to: .awaitingReply, sending: request)
        case (2, let login?): return proceed(to: .awaitingLogin, sending: login)
        case (_, _): return fail(.netProxy)
        }
    }

    private mutating func didReceiveLogin() -> [Action] {
        // RFC 1929 has version 1 here; any status but 0 is a refusal.
        guard buffer[0] == 1, buffer[1] == 0 else { return fail(.netProxy) }
        return proceed(to: .awaitingReply, sending: request)
    }

    /// Known as far as the bytes say: 5 to begin with, which covers the length of a name.
    private var replyLength: Int {
        guard buffer.count >= 5 else { return 5 }
        switch buffer[3] {
        case 1: return 10
        case 4: return 22
        default: return 7 + Int(buffer[4])
        }
    }

    private mutating func didReceiveReply() -> [Action] {
        if let version = buffer.first, version != 5 { return fail(.netProxy) }
        if buffer.count >= 2, buffer[1] != 0 { return fail(Self.code(ofReply: buffer[1])) }
        guard buffer.count >= 5 else { return [] }
        guard [1, 3, 4].contains(buffer[3]), buffer[2] == 0 else { return fail(.netProxy) }
        guard buffer.count == replyLength else { return [] }
        state = .ended
        return [.finish]
    }

    /// RFC 1928 section 6.
    private static func code(ofReply reply: UInt8) -> ErrorCode {
        switch reply {
        case 3, 4, 5: .netUnreachable
        case 6: .netTimeout
        default: .netProxy
        }
    }

    private mutating func proceed(to next: State, sending bytes: [UInt8]) -> [Action] {
        state = next
        buffer = []
        return [.send(bytes)]
    }

    private mutating func fail(_ code: ErrorCode) -> [Action] {
        state = .ended
        return [.fail(NetError(code))]
    }
}
