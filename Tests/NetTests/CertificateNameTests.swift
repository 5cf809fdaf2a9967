import Testing

@testable import Net

@Suite("Names in certificates")
struct CertificateNameTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let domain: String
        let names: [PresentedName]
        let isAccepted: Bool
        let why: String
        var testDescription: String { why }
    }

    private static func row(_ domain: String, _ names: [PresentedName], _ isAccepted: Bool, _ why: String) -> Row {
        Row(domain: domain, names: names, isAccepted: isAccepted, why: why)
    }

    static let rows: [Row] = [
        row("example.org", [.dns("example.org")], true, "the domain itself"),
        row("Example.ORG.", [.dns("eXample.oRg")], true, "letter case and the domain's final dot do not matter"),
        row("example.org", [.dns("other.org"), .dns("example.org")], true, "one of several"),
        row("example.org", [], false, "no name at all"),
        row("example.org", [.dns("www.example.org")], false, "a host below the domain"),
        row("im.example.org", [.dns("example.org")], false, "a domain above"),
        row("example.org", [.dns("example.org.")], false, "a final dot in the certificate"),
        row("example.org", [.dns("example.org\0.evil.org")], false, "a NUL inside"),
        row("example.org", [.dns(" example.org")], false, "a space before"),
        row("im.example.org", [.dns("*.example.org")], true, "a wildcard for one label"),
        row("IM.example.org", [.dns("*.EXAMPLE.org")], true, "a wildcard, letter case aside"),
        row("a.im.example.org", [.dns("*.example.org")], false, "a wildcard does not stand for two labels"),
        row("example.org", [.dns("*.example.org")], false, "a wildcard does not stand for none"),
        row("im.example.org", [.dns("i*.example.org")], false, "a wildcard in a part of a label"),
        row("im.example.org", [.dns("*m.example.org")], false, "a wildcard at the beginning of a label"),
        row("a.b.example.org", [.dns("a.*.example.org")], false, "a wildcard not on the left"),
        row("a.b.example.org", [.dns("*.*.example.org")], false, "two wildcards"),
        row("example.org", [.dns("*.org")], false, "a wildcard right below the top"),
        row("org", [.dns("*")], false, "nothing but a wildcard"),
        row("xn--bcher-kva.example.org", [.dns("*.example.org")], true, "a wildcard for an A-label"),
        row("xn--bcher-kva.example.org", [.dns("xn--*.example.org")], false, "a wildcard inside an A-label"),
        row("bücher.example", [.dns("xn--bcher-kva.example")], true, "a domain of U-labels, compared as A-labels"),
        row("BÜCHER.example", [.dns("xn--bcher-kva.example")], true, "its capital letters"),
        row("xn--bcher-kva.example", [.dns("XN--BCHER-KVA.example")], true, "A-labels in capital letters"),
        row("bücher.example", [.dns("bücher.example")], false, "a certificate with U-labels in a dNSName"),
        row("kelvin.example", [.dns("\u{212A}elvin.example")], false, "a letter that only folds to ASCII"),
        row("foobar.example.org", [.dns("foo_bar.example.org")], false, "an underscore in a dNSName"),
        row("example.org", [.srv("_xmpp-client.example.org")], true, "the service of clients"),
        row("example.org", [.srv("_XMPP-client.Example.org")], true, "the service, letter case aside"),
        row("example.org", [.srv("_xmpp-server.example.org")], false, "the service of servers"),
        row("example.org", [.srv("_xmpp-client.other.org")], false, "the service of another domain"),
        row("im.example.org", [.srv("_xmpp-client.*.example.org")], false, "a service with a wildcard"),
        row("example.org", [.srv("example.org")], false, "a service without its label"),
        row("example.org", [.xmpp("example.org")], true, "an XMPP address"),
        row("bücher.example", [.xmpp("BÜCHER.example")], true, "an XMPP address of U-labels"),
        row("example.org", [.xmpp("juliet@example.org")], false, "a person's address"),
        row("example.org", [.xmpp("example.org/resource")], false, "an address with a resource"),
        row("im.example.org", [.xmpp("*.example.org")], false, "an XMPP address with a wildcard"),
        row("192.0.2.1", [.ip([192, 0, 2, 1])], true, "an address literal"),
        row("192.0.2.1", [.dns("192.0.2.1")], false, "an address literal as a dNSName"),
        row("192.0.2.1", [.ip([192, 0, 2, 2])], false, "another address"),
        row("2001:db8::1", [.ip([0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [1])], true, "IPv6"),
        row("[2001:db8::1]", [.ip([0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [1])], true, "brackets"),
        row("192.0.2.1", [.ip([192, 0, 2, 1, 255, 255, 255, 255])], false, "an address with a mask"),
        row("example.org", [.ip([192, 0, 2, 1])], false, "an address for a domain"),
    ]

    @Test("A certificate stands for a domain by the rules of XMPP", arguments: rows)
    func rules(row: Row) throws {
        let reference = try #require(ReferenceName(serviceDomain: row.domain))
        #expect(reference.matches(row.names) == row.isAccepted)
    }

    @Test(
        "What is no domain has no certificate",
        arguments: ["", ".", "a..b", "a b", "a@b", "a/b", "-", "[::1", "foo_bar.example.org"])
    func noDomain(domain: String) {
        #expect(ReferenceName(serviceDomain: domain) == nil)
    }

    @Test("The name sent in the clear is the domain in A-labels, and none for an address")
    func serverName() {
        #expect(ReferenceName(serviceDomain: "BÜCHER.example.")?.serverName == "xn--bcher-kva.example")
        #expect(ReferenceName(serviceDomain: "192.0.2.1")?.serverName == nil)
    }
}
