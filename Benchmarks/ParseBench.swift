import Base
import CryptoPrimitives
import XMPP

/// Plain message stanzas from the bytes of an established stream to typed values, in pieces of 16 KiB as a socket gives
/// them; prints stanzas a second. The yardstick is `Tests/Fixtures/peer/measure.py parse`.
func parseBench() throws {
    let count = 100_000
    var stream = try establishedStream()
    var bytes: [UInt8] = []
    for index in 0..<count {
        bytes += Array(
            ("<message from='b@xmpp.test/y' to='a@xmpp.test/x' id='\(index)' type='chat'>"
                + "<body>hello world \(index)</body></message>").utf8)
    }
    var seen = 0
    let start = seconds()
    for offset in stride(from: 0, to: bytes.count, by: 16384) {
        for action in stream.receive(Array(bytes[offset..<min(offset + 16384, bytes.count)])) {
            if case .stanza(.message(let message), _) = action, message.body != nil { seen += 1 }
        }
    }
    let rate = Double(seen) / (seconds() - start)
    guard seen == count else { throw Failure(.internalFault) }
    print("parse: \(Int(rate)) stanzas/s")
}

/// A stream that was negotiated with a server of three lines.
private func establishedStream() throws -> XMPPStream {
    let password = SharedSecret(SecretBytes(count: 8) { $0.copyBytes(from: Array("password".utf8)) })
    var stream = XMPPStream(
        StreamConfiguration(
            account: try JID("a@xmpp.test/x"), password: password, security: .direct(.none), allowsPlain: true),
        entropy: .system)
    let header =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' from='xmpp.test' "
        + "id='1' version='1.0'><stream:features>"
    let features = (
        login: "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms>",
        bind: "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
    )
    _ = stream.start()
    _ = stream.receive(Array((header + features.login + "</stream:features>").utf8))
    _ = stream.receive(Array("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>".utf8))
    let asked = stream.receive(Array((header + features.bind + "</stream:features>").utf8))
    _ = stream.receive(
        Array(
            ("<iq type='result' id='\(try identifier(in: asked))'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                + "<jid>a@xmpp.test/x</jid></bind></iq>").utf8))
    guard stream.canSend else { throw Failure(.internalFault) }
    return stream
}

/// The id of the request for a resource among what the stream sends.
private func identifier(in actions: [StreamAction]) throws -> Substring {
    for case .send(let bytes) in actions {
        let text = String(decoding: bytes, as: UTF8.self)
        for quote: Character in ["'", "\""] {
            let parts = text.split(separator: " ").first { $0.hasPrefix("id=\(quote)") }
            if let part = parts { return part.dropFirst(4).prefix { $0 != quote } }
        }
    }
    throw Failure(.internalFault)
}
