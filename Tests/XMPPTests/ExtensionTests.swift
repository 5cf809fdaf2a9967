import Base
import CryptoPrimitives
import Foundation
import Testing

@testable import XMPP

@Suite struct ExtensionTests {
    private let account: JID
    private let address: JID

    init() throws {
        account = try JID("me@example.org")
        address = try JID("me@example.org/here")
    }

    // MARK: XEP-0115

    @Test func `Capabilities hash as the vectors say`() throws {
        var checked = 0
        for row in try VectorRow.load("caps/caps.jsonl") where row["protocol"] == "XEP-0115" {
            let info = try #require(ServiceDiscovery(parse(row["disco_xml"] ?? "")), "\(row.id)")
            let version = EntityCapabilities.version(of: info)
            #expect(version == (row["expect"] == "reject" ? nil : row["expect"]), "\(row.id)")
            checked += 1
        }
        #expect(checked > 15)
    }

    @Test func `What is advertised is what has a handler`() throws {
        let capabilities = EntityCapabilities(
            node: "https://example.org/client",
            identity: ServiceDiscovery.Identity(category: "client", type: "console"),
            extensions: [Ping.handler, DeliveryReceipts.handler, Roster.handler])
        #expect(
            capabilities.info.features == [
                "http://jabber.org/protocol/caps", "http://jabber.org/protocol/disco#info", "urn:xmpp:ping",
                "urn:xmpp:receipts",
            ])
        #expect(capabilities.version == EntityCapabilities.version(of: capabilities.info))
        #expect(capabilities.element["node"] == capabilities.node)
        #expect(capabilities.element["hash"] == "sha-1")
        #expect(capabilities.element["ver"] == capabilities.version)
    }

    // MARK: XEP-0082, 0059

    @Test func `Moments are read as the vectors say, and written as they are read`() throws {
        for row in try VectorRow.load("small/datetime.jsonl") where row["cat"] != "lax" {
            let moment = DateTimes.parse(row["in"] ?? "")
            #expect(moment == row.number("unix").map { Timestamp(milliseconds: Int64($0) * 1000) }, "\(row.id)")
        }
        var random = SeededGenerator(seed: 3)
        for _ in 0..<1000 {
            let moment = Timestamp(
                milliseconds: Int64.random(in: -62_135_596_800_000...253_402_300_799_999, using: &random))
            #expect(DateTimes.parse(moment.text) == moment)
        }
        #expect(Timestamp(milliseconds: 951_827_696_789).text == "2000-02-29T12:34:56.789Z")
    }

    @Test(arguments: [
        "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-10T00:00:00Z", "2024-01-01T24:00:00Z",
        "2024-01-01T00:60:00Z", "2024-01-01T00:00:61Z", "2024-01-01T00:00:00", "2024-01-01 00:00:00Z",
        "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00Zx", "02024-01-01T00:00:00Z", "0000-01-01T00:00:00Z",
    ])
    func `What is no moment is not read as one`(text: String) { #expect(DateTimes.parse(text) == nil) }

    @Test func `Result sets are read as the vectors say`() throws {
        let first = try #require(ResultSet.Answer(in: wrap(try vector("rsm-01"))))
        #expect(first.first == "saint@example.org")
        #expect(first.firstIndex == 0)
        #expect(first.last == "peterpan@neverland.lit")
        #expect(first.count == 800)
        #expect(
            ResultSet.Request(max: 10, position: .before("peter@pixyland.org")).element
                == (try #require(parse(try vector("rsm-02")))))
        #expect(
            ElementWriter.bytes(ResultSet.Request(max: 5, position: .last).element, in: "")
                == Array("<set xmlns='http://jabber.org/protocol/rsm'><max>5</max><before/></set>".utf8))
    }

    // MARK: XEP-0313

    @Test func `An archive's result is read as the vector says, and only from the archive`() throws {
        let text = try vector("stanza-xep0313-result-item-2")
        let message = try self.message(text)
        let juliet = try JID("juliet@capulet.lit")
        let result = try #require(MessageArchive.Result(in: message, archive: juliet, account: juliet))
        #expect(result.queryID == "f27")
        #expect(result.id == "28482-98726-73623")
        #expect(result.forwarded?.stamp == DateTimes.parse("2010-07-10T23:08:25.000Z"))
        #expect(result.forwarded?.message.body == "Hail to thee")
        #expect(result.forwarded?.message.from == (try JID("witch@shakespeare.lit")))
        // A room's archive has to say who it is, and nobody else may pose as ours.
        let room = try JID("room@muc.example")
        #expect(MessageArchive.Result(in: message, archive: room, account: juliet) == nil)
        for sender in ["mallory@example.org/x", "juliet@capulet.lit/other", "capulet.lit"] {
            let forged = try self.message(
                text.replacingOccurrences(of: "<message id", with: "<message from='\(sender)' id"))
            #expect(MessageArchive.Result(in: forged, archive: juliet, account: juliet) == nil)
            #expect(MessageArchive.isResult(forged))
        }
    }

    @Test func `A query for a page is written as XEP-0313 shows it`() throws {
        let start = DateTimes.parse("2010-06-07T00:00:00Z")
        let query = MessageArchive.query(
            "q1", MessageArchive.Filter(with: try JID("juliet@capulet.lit"), start: start),
            page: ResultSet.Request(max: 10, position: .after("09af3-cc343-b409f")))
        let expected = """
            <query xmlns='urn:xmpp:mam:2' queryid='q1'><x xmlns='jabber:x:data' type='submit'>\
            <field var='FORM_TYPE' type='hidden'><value>urn:xmpp:mam:2</value></field>\
            <field var='with'><value>juliet@capulet.lit</value></field>\
            <field var='start'><value>2010-06-07T00:00:00.000Z</value></field></x>\
            <set xmlns='http://jabber.org/protocol/rsm'><max>10</max><after>09af3-cc343-b409f</after></set></query>
            """
        #expect(String(decoding: ElementWriter.bytes(query), as: UTF8.self) == expected)
        let fin = MessageArchive.Fin(
            parse(
                "<fin xmlns='urn:xmpp:mam:2' complete='true' stable='false'><set xmlns='http://jabber.org/protocol/rsm'><count>0</count></set></fin>"
            ))
        #expect(fin?.isComplete == true)
        #expect(fin?.isStable == false)
        #expect(fin?.page?.first == nil)
        #expect(fin?.page?.count == 0)
    }

    // MARK: XEP-0280

    @Test func `A carbon counts only from our own account`() throws {
        func carbon(_ from: String, _ direction: String = "received") throws -> MessageStanza {
            try message(
                "<message xmlns='jabber:client'\(from)><\(direction) xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>"
                    + "<message xmlns='jabber:client' from='friend@example.net/x' to='me@example.org/other'><body>hi</body></message>"
                    + "</forwarded></\(direction)></message>")
        }
        for (from, isGenuine) in [
            ("", true), (" from='me@example.org'", true), (" from='me@example.org/other'", false),
            (" from='example.org'", false), (" from='mallory@example.org'", false), (" from='me@example.net'", false),
        ] {
            let message = try carbon(from)
            let carbon = Carbon(in: message, account: account)
            #expect((carbon != nil) == isGenuine, "\(from)")
            #expect(Carbon.isPresent(in: message))
            if isGenuine {
                #expect(carbon?.direction == .received)
                #expect(carbon?.forwarded.message.body == "hi")
            }
        }
        #expect(Carbon(in: try carbon("", "sent"), account: account)?.direction == .sent)
        #expect(Carbon(in: try carbon("", "private"), account: account) == nil)
    }

    // MARK: Small ones

    @Test func `Receipts, markers and ids are read`() throws {
        let message = try message(
            "<message xmlns='jabber:client' id='m1'><body>x</body><request xmlns='urn:xmpp:receipts'/>"
                + "<markable xmlns='urn:xmpp:chat-markers:0'/>"
                + "<origin-id xmlns='urn:xmpp:sid:0' id='o1'/><stanza-id xmlns='urn:xmpp:sid:0' id='forged' by='mallory@example.net'/>"
                + "<stanza-id xmlns='urn:xmpp:sid:0' id='s1' by='me@example.org'/>"
                + "<encryption xmlns='urn:xmpp:eme:0' namespace='urn:xmpp:omemo:2' name='OMEMO'/>"
                + "<delay xmlns='urn:xmpp:delay' from='example.org' stamp='2002-09-10T23:08:25Z'/></message>")
        #expect(DeliveryReceipts.isRequested(by: message))
        #expect(ChatMarkers.isMarkable(message))
        #expect(StanzaIDs.originID(in: message) == "o1")
        #expect(StanzaIDs.stanzaID(in: message, by: account) == "s1")
        #expect(StanzaIDs.stanzaID(in: message, by: try JID("room@muc.example")) == nil)
        #expect(ExplicitEncryption(in: message) == ExplicitEncryption(encryption: "urn:xmpp:omemo:2", name: "OMEMO"))
        #expect(DelayedDelivery(in: message.element)?.stamp == Timestamp(milliseconds: 1_031_699_305_000))
        let answer = MessageStanza(id: "r", to: nil, [DeliveryReceipts.received("m1"), ChatMarkers.displayed("m1")])
        #expect(DeliveryReceipts.confirmedID(in: answer) == "m1")
        #expect(ChatMarkers.displayedID(in: answer) == "m1")
    }

    @Test func `An error and a receipt ask for no receipt, and an error confirms nothing`() throws {
        for text in [
            "<message xmlns='jabber:client' id='m1' type='error'><request xmlns='urn:xmpp:receipts'/></message>",
            "<message xmlns='jabber:client'><request xmlns='urn:xmpp:receipts'/></message>",
            "<message xmlns='jabber:client' id='m1'><received xmlns='urn:xmpp:receipts' id='x'/><request xmlns='urn:xmpp:receipts'/></message>",
        ] {
            #expect(!DeliveryReceipts.isRequested(by: try message(text)))
        }
        // A bounced receipt of ours comes back with its payload.
        let bounced = try message(
            "<message xmlns='jabber:client' id='m1' type='error'><received xmlns='urn:xmpp:receipts' id='x'/><displayed xmlns='urn:xmpp:chat-markers:0' id='x'/></message>"
        )
        #expect(DeliveryReceipts.confirmedID(in: bounced) == nil)
        #expect(ChatMarkers.displayedID(in: bounced) == nil)
    }

    @Test func `A roster is read, and an answer without one means no change`() throws {
        let (entries, version) = Roster.answer(
            parse(
                "<query xmlns='jabber:iq:roster' ver='v1'><item jid='Friend@Example.net/x' name='F' subscription='both'><group>A</group><group>B</group></item>"
                    + "<item jid='asked@example.net' ask='subscribe' name=''/><item jid='@'/><item/></query>"))
        #expect(version == "v1")
        #expect(
            entries == [
                RosterEntry(
                    jid: try JID("friend@example.net"), name: "F", subscription: .both, isAsking: false,
                    groups: ["A", "B"]),
                RosterEntry(
                    jid: try JID("asked@example.net"), name: nil, subscription: .none, isAsking: true, groups: []),
            ])
        #expect(Roster.answer(nil).entries == nil)
    }

    // MARK: -

    private func message(_ text: String) throws -> MessageStanza {
        let element = try #require(parse(text))
        guard case .message(let message)? = Stanza(element) else { throw Failure(.inputInvalid) }
        return message
    }

    private func vector(_ id: String) throws -> String {
        try #require(try VectorRow.load("small/rsm-mam.jsonl").first { $0.id == id }?["xml"])
    }

    private func wrap(_ text: String) -> Element {
        Element("x", "", [:], [parse(text)].compactMap { $0 })
    }
}

/// The element that `text` is.
func parse(_ text: String) -> Element? {
    let parser = XMLStreamParser()
    _ = parser.feed(Array("<s:stream xmlns:s='http://etherx.jabber.org/streams' xmlns='jabber:client'>".utf8))
    for case .stanza(let element) in parser.feed(Array(text.utf8)) { return element }
    return nil
}
