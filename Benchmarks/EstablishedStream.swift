import Base
import CryptoPrimitives
import XMPP

/// A stream that was negotiated with a server of a few lines, which knows the password (RFC 5802).
func establishedStream() throws -> XMPPStream {
    let password = SharedSecret(SecretBytes(count: 8) { $0.copyBytes(from: Array("password".utf8)) })
    var stream = XMPPStream(
        StreamConfiguration(account: try JID("a@xmpp.test/x"), password: password, security: .direct(.none)),
        entropy: .system)
    let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    let header =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' from='xmpp.test' "
        + "id='1' version='1.0'><stream:features>"
    _ = stream.start()
    let first = try plainText(
        stream.receive(
            Array(
                (header + "<mechanisms xmlns='\(sasl)'><mechanism>SCRAM-SHA-256</mechanism></mechanisms>"
                    + "</stream:features>").utf8)))
    let bare = first.dropFirst("n,,".count)
    let salt = Array("salt".utf8)
    let challenge =
        "\(bare[bare.index(after: bare.firstIndex(of: ",") ?? bare.startIndex)...])server"
        + ",s=\(Base64.encode(salt)),i=4096"
    let final = try plainText(
        stream.receive(Array("<challenge xmlns='\(sasl)'>\(Base64.encode(Array(challenge.utf8)))</challenge>".utf8)))
    // The client's proof is the last of its attributes, and not checked: this server is for one client.
    guard let proof = final.lastIndex(of: ",") else { throw Failure(.internalFault) }
    let salted = HashFunction.sha256.stretch(password.bytes, salt: salt, iterations: 4096)
    let serverKey = HashFunction.sha256.authenticate(Array("Server Key".utf8), key: salted)
    let signature = HashFunction.sha256.authenticate(
        Array("\(bare),\(challenge),\(final[..<proof])".utf8), key: serverKey)
    let success = Base64.encode(Array("v=\(Base64.encode(signature.withUnsafeBytes { Array($0) }))".utf8))
    _ = stream.receive(Array("<success xmlns='\(sasl)'>\(success)</success>".utf8))
    let asked = stream.receive(
        Array((header + "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></stream:features>").utf8))
    _ = stream.receive(
        Array(
            ("<iq type='result' id='\(try value(of: "id", in: asked))'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                + "<jid>a@xmpp.test/x</jid></bind></iq>").utf8))
    guard stream.canSend else { throw Failure(.internalFault) }
    return stream
}

private func sent(_ actions: [StreamAction]) -> String {
    var text = ""
    for case .send(let bytes) in actions { text += String(decoding: bytes, as: UTF8.self) }
    return text
}

/// What an element of SASL that the stream sends carries.
private func plainText(_ actions: [StreamAction]) throws -> String {
    let text = sent(actions)
    guard let open = text.firstIndex(of: ">"), let close = text.lastIndex(of: "<"), open < close,
        let bytes = Base64.decode(text[text.index(after: open)..<close].utf8)
    else { throw Failure(.internalFault) }
    return String(decoding: bytes, as: UTF8.self)
}

/// The value of an attribute of what the stream sends.
private func value(of name: String, in actions: [StreamAction]) throws -> Substring {
    guard let part = sent(actions).split(separator: " ").first(where: { $0.hasPrefix("\(name)='") }) else {
        throw Failure(.internalFault)
    }
    return part.dropFirst(name.count + 2).prefix { $0 != "'" }
}
