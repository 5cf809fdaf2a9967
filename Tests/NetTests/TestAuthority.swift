import Foundation
import Support

@testable import Net

/// A certificate authority made by `openssl` for this run, and certificates by it.
final class TestAuthority: Sendable {
    struct Certificate {
        let certificate: String
        let key: String
    }

    static let shared = Task { try await TestAuthority() }
    /// Another authority of the same name, which nobody trusts.
    static let rogue = Task { try await TestAuthority() }

    private let folder: TemporaryFolder
    private let root: Certificate
    let pem: [UInt8]

    var trust: TLSTrust { get throws { try TLSTrust(adding: pem) } }

    private init() async throws {
        folder = try TemporaryFolder()
        root = try await Self.make(folder, "root", "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n")
        pem = [UInt8](try Data(contentsOf: URL(fileURLWithPath: root.certificate)))
    }

    /// - Parameters:
    ///   - names: as in OpenSSL's `subjectAltName`; nil for a certificate with a common name only.
    ///   - days: from now.
    func issue(_ names: String?, commonName: String = "leaf", days: Int = 2, key: [String]? = nil) async throws
        -> Certificate
    {
        let extensions = "basicConstraints=CA:FALSE\n" + (names.map { "subjectAltName=\($0)\n" } ?? "")
        return try await Self.make(
            folder, UUID().uuidString, extensions, commonName: commonName, days: days, issuer: root, key: key)
    }

    func selfSigned(_ names: String) async throws -> Certificate {
        try await Self.make(folder, UUID().uuidString, "subjectAltName=\(names)\n")
    }

    /// A self-signed certificate of a kind of its own.
    static func standalone(_ names: String, key: [String], digest: String?) async throws -> Certificate {
        try await make(
            shared.value.folder, UUID().uuidString, "subjectAltName=\(names)\n", key: key, digest: digest)
    }

    func file(_ name: String) -> String { "\(folder.path)/\(name)" }

    private static func make(
        _ folder: TemporaryFolder, _ name: String, _ extensions: String, commonName: String = "Test authority",
        days: Int = 3, issuer: Certificate? = nil, key: [String]? = nil,
        digest: String? = nil
    ) async throws -> Certificate {
        let made = Certificate(certificate: "\(folder.path)/\(name).pem", key: "\(folder.path)/\(name).key")
        let settings = """
            [req]
            distinguished_name=name
            prompt=no
            x509_extensions=extensions
            [name]
            CN=\(commonName)
            [extensions]
            subjectKeyIdentifier=hash
            \(extensions)
            """
        try settings.write(toFile: "\(folder.path)/\(name).cnf", atomically: true, encoding: .utf8)
        var arguments = ["req", "-x509", "-nodes", "-days", String(days), "-config", "\(folder.path)/\(name).cnf"]
        arguments += ["-newkey"] + (key ?? ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
        arguments += ["-keyout", made.key, "-out", made.certificate]
        if let issuer { arguments += ["-CA", issuer.certificate, "-CAkey", issuer.key] }
        if let digest { arguments.append(digest) }
        let process = try ChildProcess("openssl", arguments)
        guard try await process.ended() == .exit(0) else {
            throw Missed("a certificate", process.errors.transcript)
        }
        return made
    }
}

/// `openssl s_server` on a free loopback port: it prints what it gets, and sends lines that the test writes.
final class OpenSSLServer: Sendable {
    let port: UInt16
    let process: ChildProcess

    init(
        _ certificate: TestAuthority.Certificate, _ options: [String] = [], environment: [String: String]? = nil,
        folder: String = "."
    ) async throws {
        process = try ChildProcess(
            "sh",
            [
                "-c", "cd \"$0\" && exec openssl s_server \"$@\"", folder, "-accept", "127.0.0.1:0", "-cert",
                certificate.certificate, "-key", certificate.key,
            ]
                + options, environment: environment)
        let line: String
        do {
            line = try await process.output.next("the server's port", within: 10) { $0.hasPrefix("ACCEPT ") }
        } catch {
            throw Missed("\(error)", process.errors.transcript)
        }
        guard let number = line.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw Missed("the server's port", [line])
        }
        port = number
    }

    /// The value after a label that the server prints about a session.
    func printed(_ label: String) async throws -> String {
        let line = try await process.output.next(label, within: 10) { $0.contains(label) }
        return String(line.split(separator: ":").last ?? "").trimmingCharacters(in: .whitespaces)
    }
}
