import Base
import Testing

@testable import XMPP

@Suite struct StanzaRouterTests {
    private let address: JID

    init() throws { address = try JID("me@example.org/here") }

    /// Whom a request goes to, who answers, and whether that is the answer.
    @Test(
        arguments: [
            (nil, nil, true), (nil, "me@example.org", true), (nil, "me@example.org/here", true),
            (nil, "example.org", true),
            (nil, "mallory@example.org", false), (nil, "me@example.org/other", false), (nil, "example.net", false),
            ("example.org", "example.org", true), ("example.org", nil, true), ("example.org", "me@example.org", false),
            ("friend@example.net/x", "friend@example.net/x", true),
            ("friend@example.net/x", "friend@example.net", false),
            ("friend@example.net/x", nil, false), ("friend@example.net/x", "friend@example.net/y", false),
            ("me@example.org/other", "me@example.org/other", true), ("me@example.org/other", nil, false),
        ] as [(String?, String?, Bool)])
    func `An answer counts only from whom it was asked of`(to: String?, from: String?, isAnswer: Bool) throws {
        var router = try router()
        let (token, request) = try router.request(.get, to: try to.map { try JID($0) }, Ping.request, deadline: 10)
        let route = router.route(try iq("type='result' id='\(request.id)'", from: from))
        #expect(route == (isAnswer ? .answer(token, .result(nil)) : .ignored))
        // An answer is taken once; a forged one does not end the request.
        let again = router.route(try iq("type='result' id='\(request.id)'", from: to))
        #expect(again == (isAnswer ? .ignored : .answer(token, .result(nil))))
    }

    @Test func `A refusal comes with its condition`() throws {
        var router = try router()
        let (token, request) = try router.request(.get, to: nil, Ping.request, deadline: 10)
        let error = StanzaError(.wait, .resourceConstraint)
        let route = router.route(try iq("type='error' id='\(request.id)'", from: nil, [error.element]))
        #expect(route == .answer(token, .refused(error)))
        #expect(error.isRetryable)
    }

    @Test func `What nobody waits for is ignored, and ids are not those of others`() throws {
        var router = try router()
        let unknown = router.route(try iq("type='result' id='x'", from: nil))
        #expect(unknown == .ignored)
        let ids = try (0..<200).map { _ in try router.request(.get, to: nil, Ping.request, deadline: 1).stanza.id }
        #expect(Set(ids).count == 200)
    }

    @Test func `Requests expire at their deadline and are bounded in number`() throws {
        var router = try router()
        let (early, _) = try router.request(.get, to: nil, Ping.request, deadline: 10)
        let (late, _) = try router.request(.get, to: nil, Ping.request, deadline: 20)
        let atNine = router.expire(now: 9)
        #expect(atNine.isEmpty)
        let atTen = router.expire(now: 10)
        #expect(atTen == [early])
        for _ in 1..<StanzaRouter.limit { _ = try router.request(.get, to: nil, Ping.request, deadline: 30) }
        let refused = Result { try router.request(.get, to: nil, Ping.request, deadline: 30).token }
        #expect(throws: Failure(.serverBusy)) { try refused.get() }
        let abandoned = router.abandon()
        #expect(abandoned.count == StanzaRouter.limit)
        #expect(abandoned.contains(late))
    }

    @Test func `A ping is answered and an unknown request refused, each once`() throws {
        var router = try router()
        let ping = router.route(try iq("type='get' id='p'", from: "friend@example.net/x", [Ping.request]))
        #expect(ping == .reply(IQ(id: "p", to: try JID("friend@example.net/x"), kind: .result)))
        for kind in ["get", "set"] {
            let unknown = router.route(
                try iq("type='\(kind)' id='u'", from: "friend@example.net/x", [Element("query", "urn:unknown")]))
            let refusal = IQ(
                id: "u", to: try JID("friend@example.net/x"), kind: .error,
                error: StanzaError(.cancel, .serviceUnavailable))
            #expect(unknown == .reply(refusal))
        }
        // A set where there is only a get.
        let wrong = router.route(try iq("type='set' id='p'", from: nil, [Ping.request]))
        guard case .reply(let refusal) = wrong else {
            Issue.record("no reply")
            return
        }
        #expect(refusal.error == StanzaError(.cancel, .serviceUnavailable))
    }

    @Test func `A request for information is answered with what is advertised`() throws {
        var router = try router()
        let capabilities = try capabilities()
        for node in [nil, capabilities.qualifiedNode] {
            let route = router.route(try iq("type='get' id='d'", from: nil, [ServiceDiscovery.infoRequest(node: node)]))
            #expect(route == .reply(IQ(id: "d", to: nil, kind: .result, capabilities.info.element(node: node))))
        }
        let other = router.route(try iq("type='get' id='d'", from: nil, [ServiceDiscovery.infoRequest(node: "other")]))
        #expect(
            other == .reply(IQ(id: "d", to: nil, kind: .error, error: StanzaError(.cancel, .itemNotFound))))
    }

    @Test(
        arguments: [
            (nil, true), ("me@example.org", true), ("me@example.org/here", false), ("example.org", false),
            ("mallory@example.net/x", false),
        ] as [(String?, Bool)])
    func `A roster push counts only from our own account`(from: String?, isTaken: Bool) throws {
        var router = try router()
        let item = Element("item", Roster.namespace, ["jid": "new@example.net", "subscription": "none"])
        let push = Element("query", Roster.namespace, ["ver": "2"], [item])
        let route = router.route(try iq("type='set' id='r'", from: from, [push]))
        let sender = try from.map { try JID($0) }
        if isTaken {
            let entry = RosterEntry(
                jid: try JID("new@example.net"), name: nil, subscription: .none, isAsking: false, groups: [])
            let reply = IQ(id: "r", to: sender, kind: .result)
            #expect(route == .push(.roster(RosterPush(entry: entry, version: "2")), reply: reply))
        } else {
            let refusal = IQ(id: "r", to: sender, kind: .error, error: StanzaError(.cancel, .serviceUnavailable))
            #expect(route == .reply(refusal))
        }
    }

    @Test func `A roster push of two entries is refused`() throws {
        var router = try router()
        let item = Element("item", Roster.namespace, ["jid": "new@example.net"])
        let route = router.route(
            try iq("type='set' id='r'", from: nil, [Element("query", Roster.namespace, [:], [item, item])]))
        #expect(route == .reply(IQ(id: "r", to: nil, kind: .error, error: StanzaError(.modify, .badRequest))))
    }

    private func capabilities() throws -> EntityCapabilities {
        EntityCapabilities(
            node: "https://example.org/client",
            identity: ServiceDiscovery.Identity(category: "client", type: "console"),
            extensions: [Ping.handler, Roster.handler])
    }

    private func router() throws -> StanzaRouter {
        // Counts up, so that every id is another one.
        let counter = Counter()
        return StanzaRouter(
            address: address, capabilities: try capabilities(), extensions: [Ping.handler, Roster.handler],
            entropy: Entropy { for index in $0.indices { $0[index] = counter.next() } })
    }

    private func iq(_ attributes: String, from: String?, _ payloads: [Element] = []) throws -> Stanza {
        let from = from.map { " from='\($0)'" } ?? ""
        var element = try #require(parse("<iq \(attributes)\(from)/>"))
        for payload in payloads { element = element.adding(payload) }
        return try #require(Stanza(element))
    }
}

// @unchecked: used by one test on one thread.
private final class Counter: @unchecked Sendable {
    private var value: UInt64 = 0
    func next() -> UInt8 {
        value &+= 0x9E37_79B9_7F4A_7C15
        return UInt8(truncatingIfNeeded: value >> 56)
    }
}
