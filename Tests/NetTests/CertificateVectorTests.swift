import Base
internal import COpenSSL
import Foundation
import Support
import Testing

@testable import Net

/// The rows of `vectors/x509` (x509-limbo) of class "must", each judged as a handshake would judge it.
@Suite("Certificate chains of x509-limbo")
struct CertificateVectorTests {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        struct Peer: Decodable, Sendable { let value: String }
        let id: String
        let expect: String
        let `class`: String
        let peer_name: Peer
        let validation_time: String?
        let roots_pem: [String]
        let intermediates_pem: [String]
        let leaf_pem: String
        var testDescription: String { id }
    }

    static let rows: [Row] = {
        let path = Checkout.fixtures + "/vectors/x509/x509.jsonl"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            try? JSONDecoder().decode(Row.self, from: Data(line.utf8))
        }.filter { $0.class == "must" }
    }()

    /// Where OpenSSL without its strict mode, which would refuse private authorities in wide use, differs from
    /// x509-limbo: rules of the certificates' form, none of whom a certificate is for.
    static let leftToOpenSSL: Set<String> = [
        // More lenient: form of extensions, and the key kinds of roots that somebody chose to trust.
        "rfc5280--aki--leaf-missing-aki", "rfc5280--nc--invalid-dnsname-leading-period",
        "rfc5280--nc--not-allowed-in-ee-noncritical", "rfc5280--root-missing-basic-constraints",
        "rfc5280--san--noncritical-with-empty-subject", "webpki--forbidden-dsa-root",
        "webpki--san--san-critical-with-nonempty-subject",
        // Stricter: no second path is tried after name constraints have failed; the last second is already too late.
        "rfc5280--nc--nc-forbids-alternate-chain-ica", "rfc5280--validity--notafter-exact",
    ]

    @Test("The rows are there")
    func count() { #expect(Self.rows.count >= 58) }

    @Test("A chain is judged as x509-limbo says", arguments: rows)
    func chain(row: Row) throws {
        let isAccepted = try verdict(row) == nil
        #expect(isAccepted == ((row.expect == "accept") != Self.leftToOpenSSL.contains(row.id)))
    }

    @Test(
        "What is wrong is told apart",
        arguments: [
            ("rfc5280--validity--expired-leaf", .tlsExpired), ("rfc5280--validity--expired-root", .tlsExpired),
            ("rfc5280--validity--notbefore-fractional", .tlsExpired),
            ("rfc5280--chain-untrusted-root", .tlsUntrusted), ("rfc5280--eku--ee-wrong-eku", .tlsUntrusted),
            ("webpki--san--mismatch-domain-san", .tlsWrongName),
            ("webpki--san--wildcard-match-across-labels-san", .tlsWrongName),
        ] as [(String, ErrorCode)])
    func codes(id: String, code: ErrorCode) throws {
        let row = try #require(Self.rows.first { $0.id == id })
        #expect(try verdict(row) == NetError(code))
    }

    private func verdict(_ row: Row) throws -> NetError? {
        let time = try row.validation_time.map { text in
            let format = ISO8601DateFormatter()
            format.formatOptions =
                text.contains(".") ? [.withInternetDateTime, .withFractionalSeconds] : .withInternetDateTime
            return Timestamp(milliseconds: Int64(try #require(format.date(from: text)).timeIntervalSince1970 * 1000))
        }
        let trust: TLSTrust
        do throws(NetError) {
            trust = try TLSTrust(adding: Array(row.roots_pem.joined(separator: "\n").utf8))
        } catch {
            return error
        }
        let policy = TLSPolicy(serviceDomain: row.peer_name.value, trust: trust, verificationTime: time)
        let chain = try TLSTrust.parse(Array(([row.leaf_pem] + row.intermediates_pem).joined(separator: "\n").utf8))
        return try judge(chain, policy)
    }

    /// What the handshake's callback does, with the parameters that a handshake sets.
    private func judge(_ chain: [[UInt8]], _ policy: TLSPolicy) throws -> NetError? {
        let certificates = try chain.map { try #require(TLSTrust.certificate($0)) }
        defer { for certificate in certificates { X509_free(certificate) } }
        let store = try #require(X509_STORE_new())
        defer { X509_STORE_free(store) }
        try policy.trust.fill(store)
        let others = try #require(OPENSSL_sk_new_null())
        defer { OPENSSL_sk_free(others) }
        for certificate in certificates.dropFirst() { OPENSSL_sk_push(others, UnsafeRawPointer(certificate)) }
        let context = try #require(X509_STORE_CTX_new())
        defer { X509_STORE_CTX_free(context) }
        try #require(X509_STORE_CTX_init(context, store, certificates.first, others) == 1)
        try #require(X509_STORE_CTX_set_default(context, "ssl_server") == 1)
        let parameters = X509_STORE_CTX_get0_param(context)
        X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        if let time = policy.verificationTime {
            X509_VERIFY_PARAM_set_time(parameters, Int(time.milliseconds / 1000))
        }
        // As the engine does for a domain that is none.
        guard let reference = ReferenceName(serviceDomain: policy.serviceDomain) else { return NetError(.tlsWrongName) }
        let verifier = CertificateVerifier(reference: reference)
        return verifier.judge(context) ? nil : verifier.refusal
    }
}
