import Base
import CryptoPrimitives
import Foundation

@testable import XMPP

/// A stream behind a reference, with a server's side of SCRAM: `#expect` takes no mutating calls.
final class StreamDriver {
    var stream: XMPPStream
    /// All that was sent, as text.
    private(set) var sent: [String] = []

    static let header =
        "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
        + "id='s1' from='example.org' version='1.0'>"
    static let startTLS =
        "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls></stream:features>"
    static let proceed = "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
    static let scram =
        "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism>"
        + "<mechanism>SCRAM-SHA-256</mechanism></mechanisms></stream:features>"
    static let bind =
        "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/><sm xmlns='urn:xmpp:sm:3'/>"
        + "<ver xmlns='urn:xmpp:features:rosterver'/></stream:features>"
    static let bindWithoutManagement =
        "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></stream:features>"
    static let enabled = "<enabled xmlns='urn:xmpp:sm:3' id='res-1' resume='true' max='600'/>"

    init(
        security: StreamConfiguration.Security = .direct(.none), resumption: ResumableSession? = nil,
        salted: SaltedPassword? = nil, account: String = "user@example.org",
        leavesOutLarge: Bool = false
    ) throws {
        stream = XMPPStream(
            StreamConfiguration(
                account: try JID(account), password: SharedSecret(secret(Array("pencil".utf8))), security: security,
                resumption: resumption, saltedPassword: salted, leavesOutLarge: leavesOutLarge),
            entropy: Entropy { for index in $0.indices { $0[index] = 7 } })
    }

    var canSend: Bool { stream.canSend }
    var resumableSession: ResumableSession? { stream.resumableSession }
    /// Tags of what a resumption would send again.
    var unacknowledged: [StanzaTag]? { stream.resumableSession?.queue.compactMap(\.tag) }
    var saltedPassword: SaltedPassword? { stream.saltedPassword }

    /// Feeds text; returns what follows, with what is sent moved to `sent`.
    @discardableResult
    func receive(_ text: String) -> [StreamAction] { take(stream.receive(Array(text.utf8))) }

    @discardableResult
    func start() -> [StreamAction] { take(stream.start()) }

    @discardableResult
    func didStartTLS(_ bindings: ChannelBindings = .none) -> [StreamAction] { take(stream.didStartTLS(bindings)) }

    @discardableResult
    func send(_ stanza: Element, tag: UInt64? = nil) -> [StreamAction] {
        take(stream.send(stanza, tag: tag.map(StanzaTag.init)))
    }

    @discardableResult
    func didHandle(_ mark: InboundMark) -> [StreamAction] { take(stream.didHandle(through: mark)) }

    @discardableResult
    func close() -> [StreamAction] { take(stream.close()) }

    func take(_ actions: [StreamAction]) -> [StreamAction] {
        actions.filter { action in
            if case .send(let bytes) = action {
                sent.append(String(decoding: bytes, as: UTF8.self))
                return false
            }
            return true
        }
    }

    /// What was sent since the last call.
    func output() -> String {
        defer { sent = [] }
        return sent.joined()
    }

    /// Signs in with SCRAM-SHA-256 on a stream whose features are due; returns what follows the success.
    func authenticate(
        iterations: Int = 4096, tamper: Bool = false, followedBy more: String = ""
    ) -> [StreamAction] {
        receive(Self.scram)
        let first = decoded(output(), "auth")
        let bare = String(first.drop { $0 != "," }.dropFirst().drop { $0 != "," }.dropFirst())
        let nonce =
            (bare.split(separator: ",").last { $0.hasPrefix("r=") }.map { String($0.dropFirst(2)) } ?? "") + "srv"
        let serverFirst = "r=\(nonce),s=c2FsdA==,i=\(iterations)"
        receive(
            "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(Base64.encode(Array(serverFirst.utf8)))</challenge>")
        let response = decoded(output(), "response")
        guard let end = response.range(of: ",p=") else { return [] }
        let message = Array("\(bare),\(serverFirst),\(response[..<end.lowerBound])".utf8)
        let salted = SaltedPassword.stretch(
            secret(Array("pencil".utf8)), function: .sha256, salt: Array("salt".utf8), iterations: iterations)
        var signature = salted.serverSignature(over: message).withUnsafeBytes { Array($0) }
        if tamper { signature[0] ^= 1 }
        let final = Base64.encode(Array("v=\(Base64.encode(signature))".utf8))
        return receive("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(final)</success>\(more)")
    }

    /// A direct-TLS stream up to its request to go on with `session`.
    static func resuming(_ session: ResumableSession?, features: String = bind) throws -> StreamDriver {
        let driver = try StreamDriver(resumption: session)
        driver.start()
        driver.receive(header)
        _ = driver.authenticate()
        _ = driver.output()
        driver.receive(header + features)
        return driver
    }

    /// A direct-TLS stream up to its readiness.
    static func established(
        features: String = bind, resumption: ResumableSession? = nil, leavesOutLarge: Bool = false
    ) throws -> StreamDriver {
        let driver = try StreamDriver(resumption: resumption, leavesOutLarge: leavesOutLarge)
        driver.start()
        driver.receive(header)
        _ = driver.authenticate()
        driver.receive(header + features)
        driver.bound()
        if features == bind { driver.receive(enabled) }
        _ = driver.output()
        return driver
    }

    /// Answers the request for binding.
    @discardableResult
    func bound(_ address: String = "user@example.org/res") -> [StreamAction] {
        let request = output()
        guard let start = request.range(of: "id='bind-"), let end = request[start.upperBound...].firstIndex(of: "'")
        else {
            return []
        }
        let id = "bind-" + request[start.upperBound..<end]
        return receive(
            "<iq type='result' id='\(id)'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>\(address)</jid></bind></iq>"
        )
    }

    private func decoded(_ output: String, _ name: String) -> String {
        guard let start = output.range(of: "<\(name) "), let open = output[start.upperBound...].firstIndex(of: ">"),
            let close = output.range(of: "</\(name)>")
        else { return "" }
        let text = output[output.index(after: open)..<close.lowerBound]
        return String(decoding: Base64.decode(text.utf8) ?? [], as: UTF8.self)
    }
}
