import Support
import Testing

extension Integration {
    @Suite("Through a proxy", .timeLimit(.minutes(2))) struct Proxies {
        private func add(_ shell: ShellSession, _ options: String, authority: String) async throws {
            try await shell.result(
                "profile add alice@xmpp.test --name home --ca \(authority) \(options) --plain --password-fd 4")
            try await shell.result("profile use home")
        }

        @Test("The connection goes through the proxy, which alone knows where the name leads")
        func through() async throws {
            let vault = try await TestVault()
            try await withServer { server in
                try await withFixture("servers/socks.py", ["127.0.0.1", String(server.port)]) { proxy in
                    let place = try await proxy.next("the proxy") { $0["port"] != nil }
                    let port = try #require(place["port"]?.int)
                    let shell = try await vault.shell(passwords: ["alicepw"])
                    // No nameserver knows this domain (RFC 6761, section 6.2), and no host is given.
                    try await add(shell, "--proxy socks5://127.0.0.1:\(port)", authority: server.authority)
                    let online = try await shell.result("connect")
                    #expect(online["connection"]?.string == "online")
                    let asked = proxy.taken { $0["ev"]?.string == "connect" }
                    #expect(asked.map { $0["kind"]?.string } == ["name"])
                    #expect(asked.map { $0["host"]?.string } == ["xmpp.test"])
                    #expect(asked.map { $0["port"]?.int } == [5222])
                    #expect(try await shell.quit() == .exit(0))
                }
            }
        }

        @Test("A proxy that is not there is not gone around")
        func absent() async throws {
            let vault = try await TestVault()
            try await withHostileServer("well-behaved") { server in
                let shell = try await vault.shell(passwords: ["alicepw"])
                try await add(
                    shell, "--host 127.0.0.1 --port \(server.port) --tls direct --proxy socks5://127.0.0.1:1",
                    authority: server.authority)
                #expect(try await shell.run("connect").code == "net.proxy")
                let seen = server.fixture.taken { $0["ev"] != nil }
                #expect(seen.isEmpty)
            }
        }
    }
}
