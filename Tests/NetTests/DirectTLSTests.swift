import Base
import Foundation
import Support
import Testing

@testable import Net

@Suite("TLS from the first byte", .timeLimit(.minutes(1)))
struct DirectTLSTests {
    private func open(
        _ port: UInt16, _ domain: String, _ trust: TLSTrust, at time: Timestamp? = nil,
        _ change: (inout StreamSocket.Limits) -> Void = { _ in }
    ) async throws(NetError) -> (StreamSocket, Recorder, TLSDetails) {
        let (socket, recorder) = Bench().socket(change)
        let opened = try await socket.open(
            .fixed(host: "127.0.0.1", port: port, directTLS: true),
            policy: TLSPolicy(serviceDomain: domain, trust: trust, verificationTime: time), handler: recorder.handler)
        guard let tls = opened.tls else { throw NetError(.tlsFailed) }
        return (socket, recorder, tls)
    }

    @Test("Versions 1.3 and 1.2 come up, and bytes go both ways", arguments: ["-tls1_3", "-tls1_2"])
    func versions(option: String) async throws {
        let authority = try await TestAuthority.shared.value
        let server = try await OpenSSLServer(try await authority.issue("DNS:example.org"), [option])
        let (socket, recorder, tls) = try await open(server.port, "example.org", try authority.trust)
        #expect(tls.version == (option == "-tls1_3" ? "TLSv1.3" : "TLSv1.2"))
        try await socket.send(Array("from the client\n".utf8))
        _ = try await server.process.output.next("the client's line", within: 10) { $0 == "from the client" }
        server.process.write(line: "from the server")
        #expect(await recorder.wait(for: "from the server\n").bytes == Array("from the server\n".utf8))
        await socket.close()
        #expect(recorder.now.end == .some(nil))
        // The server's own account of a proper end.
        _ = try await server.process.output.next("the end", within: 10) { $0 == "CONNECTION CLOSED" || $0 == "DONE" }
    }

    @Test("What the server prints about the session is what we say of it")
    func exporter() async throws {
        let authority = try await TestAuthority.shared.value
        let certificate = try await authority.issue("DNS:example.org")
        let server = try await OpenSSLServer(
            certificate,
            ["-tls1_3", "-keymatexport", "EXPORTER-Channel-Binding", "-keymatexportlen", "32", "-alpn", "xmpp-client"])
        let (socket, _, tls) = try await open(server.port, "example.org", try authority.trust)
        #expect(hex(tls.exporter) == (try await server.printed("Keying material:")))
        #expect(tls.exporter?.count == 32)
        #expect(tls.applicationProtocol == "xmpp-client")
        #expect(hex(tls.certificateSHA256) == (try await fingerprint(certificate, "-sha256")))
        #expect(tls.serverEndPoint == tls.certificateSHA256)
        #expect(hex(tls.publicKeySHA256) == (try await keyFingerprint(certificate)))
        await socket.close()
    }

    @Test("On TLS 1.2 there is an exporter value with extended master secret only")
    func exporterOnOldVersion() async throws {
        let authority = try await TestAuthority.shared.value
        let certificate = try await authority.issue("DNS:example.org")
        let settings = authority.file("no-ems.cnf")
        try """
        openssl_conf = a
        [a]
        ssl_conf = b
        [b]
        system_default = c
        [c]
        Options = -ExtendedMasterSecret
        """.write(toFile: settings, atomically: true, encoding: .utf8)
        let with = try await OpenSSLServer(certificate, ["-tls1_2"])
        let without = try await OpenSSLServer(
            certificate, ["-tls1_2"], environment: ["OPENSSL_CONF": settings, "PATH": "/usr/bin:/bin"])
        #expect(try await open(with.port, "example.org", try authority.trust).2.exporter?.count == 32)
        #expect(try await open(without.port, "example.org", try authority.trust).2.exporter == nil)
    }

    @Test("A certificate's own hash makes the end-point binding, SHA-384 for instance; Ed25519 has none")
    func endPoint() async throws {
        // A self-signed certificate that is trusted itself, so that key and signature are of one kind.
        for (key, digest, option) in [
            (["rsa:2048"], "-sha384", "-sha384"), (["rsa:2048"], "-sha512", "-sha512"),
            (["ed25519"], nil, "-sha256"),
        ] as [([String], String?, String)] {
            let made = try await TestAuthority.standalone("DNS:example.org", key: key, digest: digest)
            let server = try await OpenSSLServer(made, [])
            let trust = try TLSTrust(adding: [UInt8](try Data(contentsOf: URL(fileURLWithPath: made.certificate))))
            let (_, _, tls) = try await open(server.port, "example.org", trust)
            #expect(
                tls.serverEndPoint.map { hex($0) }
                    == (digest == nil ? nil : try await fingerprint(made, option)))
        }
    }

    enum Certificate: String, CaseIterable, Sendable {
        case wrongName, commonNameOnly, selfSigned, rogue, expired, notYetValid, unknownToTheSystem
    }

    @Test("A certificate that does not prove the domain is refused with its own code", arguments: Certificate.allCases)
    func refused(kind: Certificate) async throws {
        let authority = try await TestAuthority.shared.value
        let rogue = try await TestAuthority.rogue.value
        let certificate: TestAuthority.Certificate
        var trust = try authority.trust
        var time: Timestamp?
        let code: ErrorCode
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        switch kind {
        case .wrongName: (certificate, code) = (try await authority.issue("DNS:127.0.0.1,IP:127.0.0.1"), .tlsWrongName)
        case .commonNameOnly:
            (certificate, code) = (try await authority.issue(nil, commonName: "example.org"), .tlsWrongName)
        case .selfSigned: (certificate, code) = (try await authority.selfSigned("DNS:example.org"), .tlsUntrusted)
        case .rogue: (certificate, code) = (try await rogue.issue("DNS:example.org"), .tlsUntrusted)
        case .expired:
            (certificate, code) = (try await authority.issue("DNS:example.org"), .tlsExpired)
            time = Timestamp(milliseconds: now + 60 * 3_600_000)
        case .notYetValid:
            (certificate, code) = (try await authority.issue("DNS:example.org"), .tlsExpired)
            time = Timestamp(milliseconds: now - 3_600_000)
        case .unknownToTheSystem:
            (certificate, code) = (try await authority.issue("DNS:example.org"), .tlsUntrusted)
            trust = .system
        }
        let server = try await OpenSSLServer(certificate)
        let judged = trust
        let moment = time
        let error = await failure { () throws(NetError) in
            try await open(server.port, "example.org", judged, at: moment)
        }
        #expect(error == code)
        // The server was told, and sent nothing that we took.
        _ = try await server.process.errors.next("the alert", within: 10) { $0.contains("alert") }
    }

    @Test(
        "Certificates of every kind of name are accepted",
        arguments: [
            ("example.org", "DNS:other.org,DNS:example.org"), ("im.example.org", "DNS:*.example.org"),
            ("bücher.example", "DNS:xn--bcher-kva.example"), ("127.0.0.1", "IP:127.0.0.1"),
            ("example.org", "otherName:1.3.6.1.5.5.7.8.7;IA5:_xmpp-client.example.org"),
            ("bücher.example", "@names\n[names]\notherName=1.3.6.1.5.5.7.8.5;FORMAT:UTF8,UTF8:bücher.example"),
            ("example.org", "otherName:1.3.6.1.5.5.7.8.5;UTF8:example.org"),
        ])
    func accepted(domain: String, names: String) async throws {
        let authority = try await TestAuthority.shared.value
        let server = try await OpenSSLServer(try await authority.issue(names))
        let (socket, _, _) = try await open(server.port, domain, try authority.trust)
        await socket.close()
    }

    @Test(
        "Names that only look alike are refused",
        arguments: [
            ("example.org", "DNS:*.example.org"), ("a.im.example.org", "DNS:*.example.org"),
            ("example.org", "otherName:1.3.6.1.5.5.7.8.7;IA5:_xmpp-server.example.org"),
            ("example.org", "otherName:1.3.6.1.5.5.7.8.5;UTF8:juliet@example.org"),
            ("127.0.0.1", "DNS:127.0.0.1"), ("example.org", "URI:xmpp:example.org,email:example.org@example.org"),
        ])
    func lookAlikes(domain: String, names: String) async throws {
        let authority = try await TestAuthority.shared.value
        let server = try await OpenSSLServer(try await authority.issue(names))
        let trust = try authority.trust
        #expect(
            await failure { () throws(NetError) in try await open(server.port, domain, trust) } == .tlsWrongName)
    }

    @Test("The server hears the service domain, not the host connected to")
    func serverName() async throws {
        let authority = try await TestAuthority.shared.value
        let right = try await authority.issue("DNS:example.org")
        let server = try await OpenSSLServer(
            try await authority.issue("DNS:nobody.example"),
            ["-servername", "example.org", "-cert2", right.certificate, "-key2", right.key])
        let (socket, _, _) = try await open(server.port, "example.org", try authority.trust)
        await socket.close()
    }

    @Test("A server of old versions, or of ciphers without forward secrecy, is refused")
    func weak() async throws {
        let authority = try await TestAuthority.shared.value
        let certificate = try await authority.issue("DNS:example.org", key: ["rsa:2048"])
        let trust = try authority.trust
        for options in [
            ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], ["-tls1_2", "-cipher", "AES128-GCM-SHA256"],
            ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-SHA256"],
        ] {
            let server = try await OpenSSLServer(certificate, options)
            #expect(
                await failure { () throws(NetError) in try await open(server.port, "example.org", trust) }
                    == .tlsFailed)
        }
    }

    @Test("A server that accepts and says nothing, or hangs up, or speaks something else, ends in its own way")
    func noTLS() async throws {
        let gate = DispatchSemaphore(value: 0)
        let silent = try LoopbackServer { _ in gate.wait() }
        let hanging = try LoopbackServer { connection in _ = connection.read() }
        let other = try LoopbackServer { connection in
            connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
            _ = connection.readAll()
        }
        for (server, code) in [(silent, ErrorCode.netTimeout), (hanging, .netClosed), (other, .tlsFailed)] {
            let error = await failure { () throws(NetError) in
                try await open(server.port, "example.org", .system) {
                    $0.handshakeMilliseconds = code == .netTimeout ? 200 : 20_000
                }
            }
            #expect(error == code)
        }
        gate.signal()
    }

    @Test("A change of keys that the server asks for goes unnoticed")
    func keyUpdate() async throws {
        let authority = try await TestAuthority.shared.value
        let server = try await OpenSSLServer(try await authority.issue("DNS:example.org"), ["-tls1_3", "-msg"])
        let (socket, recorder, _) = try await open(server.port, "example.org", try authority.trust)
        for round in 1...3 {
            // The server's command for a key update that wants one in return; it looks at its input before the network.
            server.process.write(line: "K")
            try await socket.send(Array("question \(round)\n".utf8))
            _ = try await server.process.output.next("the question", within: 10) { $0 == "question \(round)" }
            if round > 1 {
                // Ours goes out with what is sent next.
                _ = try await server.process.output.next("our own update", within: 10) {
                    $0.contains("<<<") && $0.hasSuffix("KeyUpdate")
                }
            }
            server.process.write(line: "line \(round)")
            await recorder.wait { $0.bytes.count == round * 7 }
        }
        #expect(recorder.now.bytes == Array("line 1\nline 2\nline 3\n".utf8))
        await socket.close()
    }

    @Test("A connection cut without TLS's own end is told apart from a proper end", arguments: [true, false])
    func truncation(cuts: Bool) async throws {
        let authority = try await TestAuthority.shared.value
        // This mode of the server ends properly after its answer, the other one does not by itself.
        let server = try await OpenSSLServer(try await authority.issue("DNS:example.org"), cuts ? [] : ["-HTTP"])
        let gate = DispatchSemaphore(value: 0)
        let relay = try LoopbackServer { connection in
            guard let inner = LoopbackConnection(connectingTo: server.port) else { return }
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                inner.pipe(to: connection)
                isDone.signal()
            }
            if cuts {
                gate.wait()
                connection.finishWriting()
            }
            isDone.wait()
        }
        let (socket, recorder, _) = try await open(relay.port, "example.org", try authority.trust)
        if cuts { gate.signal() } else { try await socket.send(Array("GET /none HTTP/1.0\r\n\r\n".utf8)) }
        #expect(await recorder.ending() == (cuts ? NetError(.netClosed) : nil))
    }

    @Test("A failed handshake makes way for the next place of the service; a refused certificate does not")
    func nextPlace() async throws {
        let authority = try await TestAuthority.shared.value
        let broken = try LoopbackServer { connection in _ = connection.read() }
        let wrong = try await OpenSSLServer(try await authority.issue("DNS:other.org"))
        let right = try await OpenSSLServer(try await authority.issue("DNS:example.org"))
        for (first, code) in [(broken.port, nil), (wrong.port, ErrorCode.tlsWrongName)] {
            let names = try FakeNameserver([
                "_xmpps-client._tcp.example.org SRV": [
                    .srv(priority: 1, weight: 0, port: first, target: "h.example.org"),
                    .srv(priority: 2, weight: 0, port: right.port, target: "h.example.org"),
                ],
                "h.example.org A": [.a([127, 0, 0, 1])],
            ])
            let (socket, recorder) = Bench(nameserver: names.port).socket()
            let policy = TLSPolicy(serviceDomain: "example.org", trust: try authority.trust)
            let error = await failure { () throws(NetError) in
                try await socket.open(
                    .service(domain: "example.org", security: .any), policy: policy, handler: recorder.handler)
            }
            #expect(error == code)
            await socket.close()
        }
    }

    @Test("Megabytes arrive whole through TLS, also while reading is stopped and resumed")
    func bulk() async throws {
        let authority = try await TestAuthority.shared.value
        let folder = try TemporaryFolder()
        let content = (0..<(2 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }
        try Data(content).write(to: URL(fileURLWithPath: folder.path + "/file"))
        let server = try await OpenSSLServer(
            try await authority.issue("DNS:example.org"), ["-HTTP"], folder: folder.path)
        let (socket, recorder, _) = try await open(server.port, "example.org", try authority.trust)
        try await socket.send(Array("GET /file HTTP/1.0\r\n\r\n".utf8))
        await recorder.wait { $0.bytes.count > 100_000 }
        await socket.setReading(false)
        let paused = recorder.now.bytes.count
        for _ in 0..<100 { await Task.yield() }
        #expect(recorder.now.bytes.count == paused)
        await socket.setReading(true)
        #expect(await recorder.ending() == nil)
        let heard = recorder.now
        #expect(heard.bytes.suffix(content.count) == content[...])
        #expect(heard.largest <= TLSEngine.maximumRead)
    }

    private func hex(_ bytes: [UInt8]?) -> String {
        (bytes ?? []).map { String(format: "%02X", $0) }.joined()
    }

    private func fingerprint(_ certificate: TestAuthority.Certificate, _ option: String) async throws -> String {
        let process = try ChildProcess(
            "openssl", ["x509", "-in", certificate.certificate, "-noout", "-fingerprint", option])
        let line = try await process.output.next("a fingerprint", within: 10) { $0.contains("ingerprint=") }
        return String(line.split(separator: "=")[1]).replacingOccurrences(of: ":", with: "")
    }

    private func keyFingerprint(_ certificate: TestAuthority.Certificate) async throws -> String {
        let process = try ChildProcess(
            "sh",
            [
                "-c",
                "openssl x509 -in '\(certificate.certificate)' -noout -pubkey | openssl pkey -pubin -outform DER | sha256sum",
            ])
        let line = try await process.output.next("a hash", within: 10) { $0.count > 64 }
        return line.prefix(64).uppercased()
    }
}
