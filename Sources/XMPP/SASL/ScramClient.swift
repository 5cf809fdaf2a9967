import Base
import CryptoPrimitives

/// The client's side of SCRAM (RFC 5802), one exchange of four messages.
///
/// Refused: a nonce that does not continue ours, a message out of form or with a mandatory extension, a server
/// signature that is not right (all `auth.serverProof`); fewer than 4096 iterations, or a hash of the server's offer
/// (XEP-0474) that is not what we saw (`auth.downgrade`). More than 2,000,000 iterations would keep this machine busy
/// for the server's sake: `auth.serverProof` as well.
struct ScramClient: Sendable {
    static let fewestIterations = 4096
    static let mostIterations = 2_000_000
    private static let longestMessage = 8192

    private enum State {
        case ready
        case firstSent(bare: String, nonce: String)
        case finalSent(signature: SharedSecret)
        case verified
    }

    private let function: HashFunction
    private let flag: BindingFlag
    private let password: SharedSecret
    private let offer: MechanismOffer
    private var state = State.ready
    /// What to keep for the next login; set with the final message.
    private(set) var salted: SaltedPassword?
    /// Whether the server sent the hash of its offer and it was right (XEP-0474).
    private(set) var isDowngradeProtected = false

    /// - Parameters:
    ///   - password: as typed; prepared here.
    ///   - salted: the outcome of an earlier exchange, used if it fits.
    init(
        _ function: HashFunction, flag: BindingFlag, password: SharedSecret, offer: MechanismOffer,
        salted: SaltedPassword?
    ) {
        self.function = function
        self.flag = flag
        self.password = password
        self.offer = offer
        self.salted = salted
    }

    var isVerified: Bool {
        switch state {
        case .verified: true
        case .ready, .firstSent, .finalSent: false
        }
    }

    /// Whether the client's final message is sent and the server's is due.
    var awaitsFinal: Bool {
        switch state {
        case .finalSent: true
        case .ready, .firstSent, .verified: false
        }
    }

    /// The client's first message.
    ///
    /// - Parameters:
    ///   - user: prepared by SASLprep.
    ///   - nonce: printable ASCII without a comma.
    mutating func first(user: String, nonce: String) -> [UInt8] {
        var name = ""
        for scalar in user.unicodeScalars {
            switch scalar {
            case "=": name += "=3D"
            case ",": name += "=2C"
            default: name.unicodeScalars.append(scalar)
            }
        }
        let bare = "n=\(name),r=\(nonce)"
        state = .firstSent(bare: bare, nonce: nonce)
        return Array((flag.gs2 + bare).utf8)
    }

    /// Answers the server's first message with the client's final one. Takes as long as the iterations take.
    mutating func didReceiveFirst(_ bytes: [UInt8]) throws(StreamFailure) -> [UInt8] {
        guard case .firstSent(let bare, let nonce) = state, let text = Self.text(bytes) else {
            throw StreamFailure(.authServerProof, .badChallenge)
        }
        let first = try ServerFirst(text)
        guard first.nonce.utf8.count > nonce.utf8.count, first.nonce.utf8.starts(with: nonce.utf8) else {
            throw StreamFailure(.authServerProof, .nonceMismatch)
        }
        guard first.iterations >= Self.fewestIterations else {
            throw StreamFailure(.authDowngrade, .iterationsTooFew)
        }
        guard first.iterations <= Self.mostIterations else {
            throw StreamFailure(.authServerProof, .iterationsTooMany)
        }
        if let hash = first.offerHash {
            guard hash == Self.hash(of: offer, function) else {
                throw StreamFailure(.authDowngrade, .downgradeDetected)
            }
            isDowngradeProtected = true
        }
        let salted = try stretch(first)
        self.salted = salted
        let withoutProof = "c=\(Base64.encode(Array(flag.gs2.utf8) + flag.data)),r=\(first.nonce)"
        let message = Array("\(bare),\(text),\(withoutProof)".utf8)
        state = .finalSent(signature: SharedSecret(salted.serverSignature(over: message)))
        return Array("\(withoutProof),p=\(Base64.encode(salted.clientProof(over: message)))".utf8)
    }

    /// Checks the server's final message.
    mutating func didReceiveFinal(_ bytes: [UInt8]) throws(StreamFailure) {
        guard case .finalSent(let expected) = state, let text = Self.text(bytes) else {
            throw StreamFailure(.authServerProof, .signatureMissing)
        }
        let value = text.prefix { $0 != "," }
        if value.hasPrefix("e=") { throw StreamFailure(.authRefused, .authenticationFailed) }
        guard value.hasPrefix("v="), let signature = Base64.decode(value.dropFirst(2).utf8) else {
            throw StreamFailure(.authServerProof, .signatureMissing)
        }
        let given = signature.withUnsafeBytes { bytes in
            var copy = SecretBytes(count: bytes.count)
            copy.withUnsafeMutableBytes { $0.copyMemory(from: bytes) }
            return SharedSecret(copy)
        }
        guard given.bytes.equals(expected.bytes) else { throw StreamFailure(.authServerProof, .signatureMismatch) }
        state = .verified
    }

    private func stretch(_ first: ServerFirst) throws(StreamFailure) -> SaltedPassword {
        if let salted, salted.fits(function, first.salt, first.iterations) { return salted }
        switch SASLprep.prepare(password.bytes) {
        case .some(let prepared):
            return .stretch(prepared, function: function, salt: first.salt, iterations: first.iterations)
        case .none:
            throw StreamFailure(.authRefused, .passwordUnusable)
        }
    }

    /// XEP-0474, section 3: the announced names, sorted by bytes, joined by 0x1E; the types of binding behind 0x1F.
    static func hash(of offer: MechanismOffer, _ function: HashFunction) -> [UInt8] {
        func joined(_ names: [String]) -> [UInt8] {
            let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
            return Array(sorted.joined(separator: [0x1E]))
        }
        var bytes = joined(offer.mechanisms)
        if let bindings = offer.bindings { bytes += [0x1F] + joined(bindings) }
        return function.hash(bytes)
    }

    private static func text(_ bytes: [UInt8]) -> String? {
        bytes.count <= longestMessage ? String(validating: bytes, as: UTF8.self) : nil
    }
}

/// The server's first message: `r=…,s=…,i=…` and extensions.
private struct ServerFirst {
    let nonce: String
    let salt: [UInt8]
    let iterations: Int
    let offerHash: [UInt8]?

    init(_ text: String) throws(StreamFailure) {
        let bad = StreamFailure(.authServerProof, .badChallenge)
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].hasPrefix("r="), parts[1].hasPrefix("s="), parts[2].hasPrefix("i="),
            let salt = Base64.decode(parts[1].dropFirst(2).utf8), !salt.isEmpty
        else { throw bad }
        let digits = parts[2].dropFirst(2)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits.utf8.count <= 18,
            let iterations = Int(digits)
        else { throw bad }
        nonce = String(parts[0].dropFirst(2))
        guard nonce.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw bad }
        self.salt = salt
        self.iterations = iterations
        var offerHash: [UInt8]?
        for part in parts.dropFirst(3) where part.hasPrefix("h=") {
            guard offerHash == nil, let hash = Base64.decode(part.dropFirst(2).utf8) else { throw bad }
            offerHash = hash
        }
        self.offerHash = offerHash
    }
}
