import CryptoPrimitives

/// A SASL mechanism that we know: SCRAM (RFC 5802, RFC 7677), bound to the connection or not.
struct Mechanism: Equatable, Sendable {
    let function: HashFunction
    let isPlus: Bool

    /// All, in the order of preference: bound ones first, then by hash.
    static let preferred: [Mechanism] = [true, false].flatMap { isPlus in
        [HashFunction.sha512, .sha256, .sha1].map { Mechanism(function: $0, isPlus: isPlus) }
    }

    /// The name registered with IANA.
    var name: String {
        switch function {
        case .sha1: isPlus ? "SCRAM-SHA-1-PLUS" : "SCRAM-SHA-1"
        case .sha256: isPlus ? "SCRAM-SHA-256-PLUS" : "SCRAM-SHA-256"
        case .sha512: isPlus ? "SCRAM-SHA-512-PLUS" : "SCRAM-SHA-512"
        }
    }
}

/// What the server announces for authentication.
struct MechanismOffer: Equatable, Sendable {
    /// Names of mechanisms, as announced.
    let mechanisms: [String]
    /// Types of channel binding (XEP-0440), as announced; nil where it does not say.
    let bindings: [String]?

    static let bindingNamespace = "urn:xmpp:sasl-cb:0"

    /// The offer in the stream features; nil where there is none.
    init?(features: Element) {
        guard let list = features.child("mechanisms", Namespace.sasl) else { return nil }
        mechanisms = list.elements.filter { $0.isNamed("mechanism", Namespace.sasl) }.map(\.text)
        bindings = features.child("sasl-channel-binding", Self.bindingNamespace).map { list in
            list.elements.filter { $0.isNamed("channel-binding", Self.bindingNamespace) }.compactMap { $0["type"] }
        }
    }

    init(mechanisms: [String], bindings: [String]?) {
        self.mechanisms = mechanisms
        self.bindings = bindings
    }
}

/// How SCRAM binds itself to the connection: the GS2 header's flag (RFC 5802, section 6).
enum BindingFlag: Equatable, Sendable {
    /// `n`: we cannot.
    case unsupported
    /// `y`: we could, and believe that the server cannot. A server that can refuses it, which uncovers that somebody
    /// took -PLUS out of its list.
    case unused
    /// `p=`: bound by this type and data.
    case bound(ChannelBindingType, [UInt8])

    var gs2: String {
        switch self {
        case .unsupported: "n,,"
        case .unused: "y,,"
        case .bound(let type, _): "p=\(type.rawValue),,"
        }
    }

    var data: [UInt8] {
        switch self {
        case .unsupported, .unused: []
        case .bound(_, let data): data
        }
    }
}

/// Which mechanism to use, and how to bind it.
struct MechanismChoice: Equatable, Sendable {
    let mechanism: Mechanism
    let flag: BindingFlag

    /// The best that both sides know; nil for none.
    ///
    /// A binding counts as usable if the server announces its type (XEP-0440) and we have its data. Where the server
    /// announces none, the one that RFC 9266 makes the default of TLS 1.3 is. A server that offers -PLUS without a
    /// usable binding gets `n`: Prosody and ejabberd refuse `y` then, as RFC 5802 wants.
    init?(_ offer: MechanismOffer, bindings: ChannelBindings) {
        let binding = Self.usable(offer, bindings)
        let offersPlus = offer.mechanisms.contains { $0.hasPrefix("SCRAM-") && $0.hasSuffix("-PLUS") }
        for mechanism in Mechanism.preferred where offer.mechanisms.contains(mechanism.name) {
            if mechanism.isPlus {
                guard let binding else { continue }
                self.init(mechanism: mechanism, flag: binding)
            } else {
                let couldBind = bindings.exporter != nil || bindings.serverEndPoint != nil
                self.init(mechanism: mechanism, flag: couldBind && !offersPlus ? .unused : .unsupported)
            }
            return
        }
        return nil
    }

    private init(mechanism: Mechanism, flag: BindingFlag) {
        self.mechanism = mechanism
        self.flag = flag
    }

    private static func usable(_ offer: MechanismOffer, _ bindings: ChannelBindings) -> BindingFlag? {
        guard let announced = offer.bindings else {
            return bindings.isTLS13 ? bindings.exporter.map { .bound(.tlsExporter, $0) } : nil
        }
        for type in ChannelBindingType.allCases where announced.contains(type.rawValue) {
            let data =
                switch type {
                case .tlsExporter: bindings.exporter
                case .tlsServerEndPoint: bindings.serverEndPoint
                }
            if let data { return .bound(type, data) }
        }
        return nil
    }
}
