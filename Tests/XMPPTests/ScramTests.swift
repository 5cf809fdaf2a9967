import Base
import CryptoPrimitives
import Foundation
import Testing

@testable import XMPP

@Suite struct ScramTests {
    /// Proofs and signatures as computed from the messages, whether or not a client would let them pass.
    @Test func `Proofs and signatures agree with the vectors`() throws {
        var checked = 0
        for row in try VectorRow.load("scram/scram.jsonl") where row.flag("verified_by_us") == true {
            guard let function = function(row["mech"]), let first = row["server_first"],
                let final = row["client_final"]
            else { continue }
            let password = Array((row["password"] ?? "").utf8)
            let prepared =
                row.flag("saslprep") == false ? password : plain(SASLprep.prepare(secret(password))) ?? []
            let salt = try #require(Base64.decode(attribute("s", first)))
            let salted = SaltedPassword.stretch(
                secret(prepared), function: function, salt: salt,
                iterations: try #require(Int(attribute("i", first))))
            let gs2 = try #require(row["gs2_header"])
            let bare = String((row["client_first"] ?? "").dropFirst(gs2.count))
            let withoutProof = try #require(final.components(separatedBy: ",p=").first)
            let message = Array("\(bare),\(first),\(withoutProof)".utf8)
            #expect(Base64.encode(salted.clientProof(over: message)) == attribute("p", final), "\(row.id)")
            if row["expect"] == "ok" {
                let signature = salted.serverSignature(over: message)
                #expect(
                    signature.withUnsafeBytes { Array($0) } == Base64.decode(attribute("v", row["server_final"] ?? "")))
            }
            checked += 1
        }
        #expect(checked > 10)
    }

    @Test func `A client answers as the vectors say`() throws {
        var checked = 0
        for row in try VectorRow.load("scram/scram.jsonl") {
            // Left out: authorization identities and tls-unique, which we never send; SASLprep switched off; and
            // a server whose nonce does not continue the client's, which is refused (see below).
            guard let function = function(row["mech"]), row.flag("saslprep") != false,
                let flag = flag(row), let first = row["server_first"],
                attribute("r", first).hasPrefix(attribute("r", row["client_first"] ?? ""))
            else { continue }
            checked += 1
            var client = client(function, flag, password: row["password"] ?? "")
            let user = try #require(SASLprep.prepare(row["user"] ?? ""))
            let sent = client.first(user: user, nonce: attribute("r", row["client_first"] ?? ""))
            #expect(String(decoding: sent, as: UTF8.self) == row["client_first"], "\(row.id)")
            if row["expect"] == "abort-on-server-first" {
                let outcome = failure { () throws(StreamFailure) in _ = try client.didReceiveFirst(Array(first.utf8)) }
                #expect(outcome == StreamFailure(.authServerProof, .badChallenge))
                continue
            }
            let answer = String(decoding: try client.didReceiveFirst(Array(first.utf8)), as: UTF8.self)
            let final = Array((row["server_final"] ?? "").utf8)
            switch row["expect"] {
            case "ok":
                #expect(answer == row["client_final"], "\(row.id)")
                try client.didReceiveFinal(final)
                #expect(client.isVerified)
            case "framing-only":
                #expect(
                    answer.components(separatedBy: ",p=")[0] == row["client_final"]?.components(separatedBy: ",p=")[0])
            case "server-signature-mismatch":
                #expect(answer == row["client_final"], "\(row.id)")
                let outcome = failure { () throws(StreamFailure) in try client.didReceiveFinal(final) }
                // "invalid-signature" is no Base64, and so no signature at all.
                let reason: StreamFailure.Reason =
                    row["server_final"] == "v=invalid-signature" ? .signatureMissing : .signatureMismatch
                #expect(outcome == StreamFailure(.authServerProof, reason))
                #expect(!client.isVerified)
            case "server-error":
                let outcome = failure { () throws(StreamFailure) in try client.didReceiveFinal(final) }
                #expect(outcome == StreamFailure(.authRefused, .authenticationFailed))
            default: Issue.record("unknown expectation in \(row.id)")
            }
        }
        #expect(checked >= 9)
    }

    @Test(arguments: [
        ("r=other,s=c2FsdA==,i=4096", StreamFailure(.authServerProof, .nonceMismatch)),
        ("r=nonce,s=c2FsdA==,i=4096", StreamFailure(.authServerProof, .nonceMismatch)),
        ("r=nonceX,s=c2FsdA==,i=4095", StreamFailure(.authDowngrade, .iterationsTooFew)),
        ("r=nonceX,s=c2FsdA==,i=2000001", StreamFailure(.authServerProof, .iterationsTooMany)),
        ("r=nonceX,s=c2FsdA==,i=-1", StreamFailure(.authServerProof, .badChallenge)),
        ("r=nonceX,s=c2FsdA==,i=99999999999999999999", StreamFailure(.authServerProof, .badChallenge)),
        ("r=nonceX,s=,i=4096", StreamFailure(.authServerProof, .badChallenge)),
        ("r=nonceX,s=%%%,i=4096", StreamFailure(.authServerProof, .badChallenge)),
        ("m=x,r=nonceX,s=c2FsdA==,i=4096", StreamFailure(.authServerProof, .badChallenge)),
        ("r=nonceX,i=4096,s=c2FsdA==", StreamFailure(.authServerProof, .badChallenge)),
        ("r=nonceX,s=c2FsdA==,i=4096,h=AAAA", StreamFailure(.authDowngrade, .downgradeDetected)),
        ("r=nonceX,s=c2FsdA==,i=4096,h=!", StreamFailure(.authServerProof, .badChallenge)),
        ("", StreamFailure(.authServerProof, .badChallenge)),
        ("r=nonceX" + String(repeating: "x", count: 9000), StreamFailure(.authServerProof, .badChallenge)),
    ])
    func `A challenge that is not right is refused`(text: String, failure: StreamFailure) {
        var client = client(.sha256, .unsupported, password: "pencil")
        _ = client.first(user: "user", nonce: "nonce")
        let outcome = self.failure { () throws(StreamFailure) in _ = try client.didReceiveFirst(Array(text.utf8)) }
        #expect(outcome == failure)
    }

    @Test func `The hash of the server's offer is the one of XEP-0474`() {
        // XEP-0474 0.4, example 1: SCRAM-SHA-1 and -PLUS with tls-server-end-point and tls-exporter, hash SHA-1.
        let offer = MechanismOffer(
            mechanisms: ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"], bindings: ["tls-server-end-point", "tls-exporter"])
        let text = "SCRAM-SHA-1\u{1E}SCRAM-SHA-1-PLUS\u{1F}tls-exporter\u{1E}tls-server-end-point"
        #expect(ScramClient.hash(of: offer, .sha1) == HashFunction.sha1.hash(Array(text.utf8)))
        let bare = MechanismOffer(mechanisms: ["SCRAM-SHA-256", "SCRAM-SHA-1"], bindings: nil)
        #expect(
            ScramClient.hash(of: bare, .sha256)
                == HashFunction.sha256.hash(Array("SCRAM-SHA-1\u{1E}SCRAM-SHA-256".utf8)))
    }

    @Test func `A protected offer is told apart from one that says nothing`() throws {
        let offer = MechanismOffer(mechanisms: ["SCRAM-SHA-256"], bindings: nil)
        let hash = Base64.encode(HashFunction.sha256.hash(Array("SCRAM-SHA-256".utf8)))
        for (suffix, isProtected) in [("", false), (",h=\(hash)", true)] {
            var client = client(.sha256, .unsupported, password: "pencil", offer: offer)
            _ = client.first(user: "user", nonce: "nonce")
            _ = try client.didReceiveFirst(Array("r=nonceX,s=c2FsdA==,i=4096\(suffix)".utf8))
            #expect(client.isDowngradeProtected == isProtected)
        }
    }

    @Test func `Commas and equals signs in a user name are escaped`() {
        var client = client(.sha1, .unused, password: "x")
        let first = client.first(user: "a=b,c", nonce: "n")
        #expect(first == Array("y,,n=a=3Db=2Cc,r=n".utf8))
    }

    private static let all = [
        "PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS", "SCRAM-SHA-512",
        "SCRAM-SHA-512-PLUS", "X-OTHER",
    ]
    private static let both = ChannelBindings(exporter: [1], serverEndPoint: [2], isTLS13: true)
    private static let tls12 = ChannelBindings(exporter: nil, serverEndPoint: [2], isTLS13: false)

    /// What is offered, what is announced (XEP-0440), what we have, and what comes of it.
    private static let choices: [([String], [String]?, ChannelBindings, String?, BindingFlag)] = [
        (all, ["tls-server-end-point", "tls-exporter"], both, "SCRAM-SHA-512-PLUS", .bound(.tlsExporter, [1])),
        (all, ["tls-server-end-point"], both, "SCRAM-SHA-512-PLUS", .bound(.tlsServerEndPoint, [2])),
        (all, ["tls-server-end-point"], tls12, "SCRAM-SHA-512-PLUS", .bound(.tlsServerEndPoint, [2])),
        // Announced ones that we do not have, and no announcement: `n`, since the server could bind.
        (all, ["tls-unique"], both, "SCRAM-SHA-512", .unsupported),
        (all, nil, tls12, "SCRAM-SHA-512", .unsupported),
        (all, nil, both, "SCRAM-SHA-512-PLUS", .bound(.tlsExporter, [1])),
        (all, ["tls-exporter"], .none, "SCRAM-SHA-512", .unsupported),
        // A server that cannot bind, and we could: `y`.
        (["SCRAM-SHA-1", "SCRAM-SHA-256"], nil, both, "SCRAM-SHA-256", .unused),
        (["SCRAM-SHA-1", "SCRAM-SHA-256"], nil, .none, "SCRAM-SHA-256", .unsupported),
        // A bound SHA-1 before an unbound SHA-512.
        (["SCRAM-SHA-512", "SCRAM-SHA-1-PLUS"], nil, both, "SCRAM-SHA-1-PLUS", .bound(.tlsExporter, [1])),
        // PLAIN would show the password.
        (["PLAIN"], nil, both, nil, .unsupported),
        (["PLAIN", "SCRAM-SHA-1"], nil, .none, "SCRAM-SHA-1", .unsupported),
        (["DIGEST-MD5", "EXTERNAL"], nil, both, nil, .unsupported),
        ([], nil, both, nil, .unsupported),
    ]

    @Test(arguments: choices.indices)
    func `The best mechanism that both know is chosen`(index: Int) {
        let (mechanisms, announced, bindings, expected, flag) = Self.choices[index]
        let choice = MechanismChoice(
            MechanismOffer(mechanisms: mechanisms, bindings: announced), bindings: bindings)
        #expect(choice?.mechanism.name == expected)
        if let choice { #expect(choice.flag == flag) }
    }

    // MARK: -

    private func failure(_ body: () throws(StreamFailure) -> Void) -> StreamFailure? {
        do { try body() } catch { return error }
        return nil
    }

    private func client(
        _ function: HashFunction, _ flag: BindingFlag, password: String,
        offer: MechanismOffer = MechanismOffer(mechanisms: [], bindings: nil)
    ) -> ScramClient {
        ScramClient(
            function, flag: flag, password: SharedSecret(secret(Array(password.utf8))), offer: offer, salted: nil)
    }

    private func function(_ mechanism: String?) -> HashFunction? {
        let name = mechanism?.replacingOccurrences(of: "-PLUS", with: "")
        return ["SCRAM-SHA-1": .sha1, "SCRAM-SHA-256": .sha256, "SCRAM-SHA-512": .sha512][name ?? ""]
    }

    private func flag(_ row: VectorRow) -> BindingFlag? {
        switch row["gs2_header"] {
        case "n,,": .unsupported
        case "y,,": .unused
        case "p=tls-exporter,,": row["cb_data_b64"].flatMap { Base64.decode($0) }.map { .bound(.tlsExporter, $0) }
        default: nil
        }
    }

    private func attribute(_ name: String, _ message: String) -> String {
        message.split(separator: ",").first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(2)) } ?? ""
    }

    private func plain(_ secret: consuming SecretBytes?) -> [UInt8]? {
        switch consume secret {
        case .some(let secret): secret.withUnsafeBytes { Array($0) }
        case .none: nil
        }
    }
}

func secret(_ bytes: [UInt8]) -> SecretBytes {
    var secret = SecretBytes(count: bytes.count)
    secret.withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
    return secret
}
