import Testing

@testable import Base

@Suite struct JIDTests {
    @Test func `Addresses are accepted, refused and prepared as the vectors say`() throws {
        let rows = try VectorRow.load("jid/jid-parse.jsonl")
        var checked = 0
        for row in rows where row["class"] == "must" {
            checked += 1
            guard row["expect"] == "valid" else {
                #expect(throws: Failure(.jidInvalid), "\(row.id)") { try JID(utf8: row.input) }
                continue
            }
            let jid = try #require(try? JID(utf8: row.input), "\(row.id)")
            guard row.has("domain") else { continue }
            #expect(bytes(jid.local) == bytes(row["local"]), "\(row.id)")
            #expect(bytes(jid.domain) == bytes(row["domain"]), "\(row.id)")
            #expect(bytes(jid.resource) == bytes(row["resource"]), "\(row.id)")
        }
        #expect(checked > 60)
    }

    @Test func `Addresses are equal when their prepared bytes are`() throws {
        for row in try VectorRow.load("jid/jid-equal.jsonl") where row["class"] == "must" {
            let a = try JID(row["a"] ?? "")
            if let expected = row["expect_string"] {
                #expect(bytes(a.addressText) == bytes(expected), "\(row.id)")
            } else {
                let b = try JID(row["b"] ?? "")
                #expect((a == b) == row.flag("expect"), "\(row.id)")
                #expect(a.hashValue == b.hashValue, "\(row.id)")
            }
        }
    }

    @Test(arguments: [
        // PRECIS keeps the final sigma (RFC 8265, section 3.3), Nodeprep folded it.
        ("\u{3C2}@example.com", "\u{3C2}@example.com"),
        // Full width becomes narrow (RFC 8265, section 3.3.2).
        ("\u{FF41}\u{FF42}@example.com", "ab@example.com"),
        ("user@example.org/\u{1F37A}", "user@example.org/\u{1F37A}"),
        ("user@b\u{FC}cher.example", "user@b\u{FC}cher.example"),
        ("user@xn--bcher-kva.example", "user@b\u{FC}cher.example"),
        ("user@[2001:DB8:0:0:0:0:0:1]/x", "user@[2001:db8::1]/x"),
        ("room@muc.example//help", "room@muc.example//help"),
    ])
    func `An address is written in its prepared form`(text: String, expected: String) throws {
        #expect(bytes(try JID(text).addressText) == bytes(expected))
    }

    @Test(arguments: [
        "\u{265A}@example.com", "a\u{301}\u{202E}@example.com", "user@example.org/\u{1F600}\u{FE0F}",
        "user@-example.org", "user@example-.org", "user@exa_mple.org", "user@" + String(repeating: "a", count: 64),
        "user@[::1]x", "user@[1.2.3.4]", "user@[fe80::1%eth0]", "", "a\u{0}b@example.org", "user@example.org/\u{7}",
        "\u{5D0}a@example.org",
    ])
    func `What no rule allows is no address`(text: String) {
        #expect(throws: Failure(.jidInvalid)) { try JID(text) }
    }

    @Test func `Parts can be 1023 bytes and no longer`() throws {
        let longest = String(repeating: "a", count: 1023)
        let jid = try JID("\(longest)@example.org/\(longest)")
        #expect(jid.local == longest)
        #expect(jid.resource == longest)
        #expect(throws: Failure(.jidInvalid)) { try JID("a\(longest)@example.org") }
        #expect(throws: Failure(.jidInvalid)) { try JID("example.org/a\(longest)") }
        // Two bytes a letter: 512 of them are too many.
        #expect(throws: Failure(.jidInvalid)) { try JID(String(repeating: "\u{E9}", count: 512) + "@example.org") }
    }

    @Test func `The bare address and the server are parts of the full one`() throws {
        let jid = try JID("Romeo@Example.NET/Orchard")
        #expect(jid.bare == (try JID("romeo@example.net")))
        #expect(jid.bare.isBare)
        #expect(jid.isFull)
        #expect(jid.server == (try JID("example.net")))
        #expect(jid.server.local == nil)
        #expect(try jid.bare.with(resource: "Balcony") == JID("romeo@example.net/Balcony"))
        #expect(try JID(local: "a", domain: "b.c", resource: "d/e@f").resource == "d/e@f")
    }

    @Test func `An address that is printed by mistake shows nothing`() throws {
        let jid = try JID("romeo@example.net/orchard")
        #expect(!"\(jid)".contains("romeo"))
        #expect(!String(reflecting: jid).contains("romeo"))
    }

    @Test func `A domain for DNS is in A-labels`() {
        #expect(DomainName.ascii("B\u{FC}cher.example.") == "xn--bcher-kva.example")
        #expect(DomainName.ascii("[::1]") == "::1")
        #expect(DomainName.ascii("a..b") == nil)
    }

    private func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }
}
