import Application
import Base
import Domain
import Foundation
import Support
import Testing

@testable import XMPPLink

/// Against a real Prosody, with slixmpp on the other side.
@Suite(.serialized) struct ProsodyTests {
    @Test("Signs in by STARTTLS and by direct TLS, with channel binding", arguments: [true, false])
    func signsIn(direct: Bool) async throws {
        try await withServer { server in
            let link = LinkFixture.link()
            let sink = RecordingSink()
            let summary = try await link.connect(
                try LinkFixture.account(
                    port: direct ? server.tlsPort : server.port, direct: direct, authority: server.authority),
                sink: sink)
            #expect(summary.tls == "TLSv1.3")
            #expect(summary.mechanism == "SCRAM-SHA-256-PLUS")
            #expect(summary.binding == "tls-exporter")
            #expect(summary.hasArchive)
            #expect(!summary.isResumed)
            await sink.wait { sink in sink.events.contains { if case .roster(.some, _) = $0 { true } else { false } } }
            await link.disconnect()
            #expect(await sink.ends == [nil])
        }
    }

    @Test("A wrong password and a wrong authority have codes of their own, and nothing is told to the sink")
    func refusals() async throws {
        try await withServer { server in
            let link = LinkFixture.link()
            let sink = RecordingSink()
            await #expect(throws: Failure(.authRefused)) {
                _ = try await link.connect(
                    try LinkFixture.account(password: "wrong", port: server.tlsPort, authority: server.authority),
                    sink: sink)
            }
            await #expect(throws: Failure(.tlsUntrusted)) {
                _ = try await link.connect(
                    try LinkFixture.account(port: server.tlsPort, authority: nil), sink: sink)
            }
            #expect(await sink.ends.isEmpty)
        }
    }

    @Test("Messages go both ways, are acknowledged, and ask for and get receipts")
    func bothWays() async throws {
        try await withServer { server in
            try await withPeer(at: server) { peer in
                let link = LinkFixture.link()
                let sink = RecordingSink()
                _ = try await link.connect(
                    try LinkFixture.account(port: server.tlsPort, authority: server.authority), sink: sink)
                let stanzas = try (0..<20).map { try LinkFixture.message("from us \($0) &amp; <![CDATA[x]]>") }
                try await link.submit(stanzas)
                for number in 0..<20 { _ = try await peer.message("from us \(number) & x") }
                await sink.wait { $0.acknowledged.count == 20 }
                #expect(await sink.acknowledged == stanzas.map(\.id))
                // slixmpp answers requests for receipts by itself.
                await sink.wait { $0.messages.count { $0.receiptFor != nil } == 20 }
                #expect(await sink.messages.compactMap(\.receiptFor) == stanzas.map(\.id.text))

                let id = try await peer.send("to us", to: "alice@xmpp.test", receipt: true)
                await sink.wait { $0.texts == ["to us"] }
                let message = try #require(await sink.messages.last)
                #expect(message.id == id)
                #expect(message.from.addressText == peer.address)
                #expect(message.asksReceipt)
                #expect(message.archiveID != nil)
                #expect(message.route == .live)
                await link.send([.receipt(for: id, to: message.from)])
                _ = try await peer.fixture.next("the receipt") {
                    $0["ev"]?.string == "receipt" && $0["id"]?.string == id
                }
                await link.disconnect()
            }
        }
    }

    @Test("A stream that was cut is resumed, and what was sent meanwhile arrives once")
    func resumes() async throws {
        try await withServer { server in
            try await withPeer(at: server) { peer in
                let link = LinkFixture.link()
                let sink = RecordingSink()
                let account = try LinkFixture.account(port: server.tlsRelayPort, authority: server.authority)
                _ = try await link.connect(account, sink: sink)
                try await server.order(.hold)
                let stanza = try LinkFixture.message("sent into the void")
                try await link.submit([stanza])
                try await peer.send("while away", to: "alice@xmpp.test")
                try await server.order(.cut)
                await sink.wait { $0.ends.count == 1 }
                #expect(await sink.ends.first != .some(nil))
                await #expect(throws: Failure(.netOffline)) { try await link.submit([stanza]) }
                try await server.order(.release)
                let summary = try await link.connect(account, sink: sink)
                #expect(summary.isResumed)
                #expect(summary.hasArchive)
                _ = try await peer.message("sent into the void")
                await sink.wait { $0.acknowledged == [stanza.id] }
                await sink.wait { $0.texts == ["while away"] }
                #expect(peer.textsTaken().isEmpty)
                await link.disconnect()
            }
        }
    }

    @Test("A server that has forgotten the stream never acknowledges what was sent on it")
    func forgotten() async throws {
        try await withServer { server in
            let link = LinkFixture.link()
            let sink = RecordingSink()
            let account = try LinkFixture.account(port: server.tlsRelayPort, authority: server.authority)
            _ = try await link.connect(account, sink: sink)
            try await server.order(.hold)
            let stanza = try LinkFixture.message("nobody knows")
            try await link.submit([stanza])
            try await server.order(.cut)
            await sink.wait { $0.ends.count == 1 }
            try await server.order(.release)
            // A server that was restarted has forgotten its streams.
            try await server.order(.stop)
            try await server.order(.start)
            // One that has just started may hang up at first.
            var summary: LinkSummary?
            for _ in 0..<20 where summary == nil {
                do throws(Failure) {
                    summary = try await link.connect(account, sink: sink)
                } catch {
                    #expect([.netClosed, .netUnreachable].contains(error.code))
                }
            }
            #expect(summary?.isResumed == false)
            let next = try LinkFixture.message("known")
            try await link.submit([next])
            await sink.wait { !$0.acknowledged.isEmpty }
            #expect(await sink.acknowledged == [next.id])
            await link.disconnect()
        }
    }

    @Test("Nothing is acknowledged to the server before it is durable here")
    func acknowledgesAfter() async throws {
        try await withServer { server in
            try await withPeer(at: server) { peer in
                let link = LinkFixture.link()
                let sink = RecordingSink()
                let account = try LinkFixture.account(port: server.tlsRelayPort, authority: server.authority)
                _ = try await link.connect(account, sink: sink)
                await sink.fail(with: .storageDiskFull)
                try await peer.send("not lost", to: "alice@xmpp.test")
                await sink.wait { $0.ends == [Failure(.storageDiskFull)] }
                #expect(await sink.texts.isEmpty)
                let roomy = RecordingSink()
                _ = try await link.connect(account, sink: roomy)
                await roomy.wait { $0.texts == ["not lost"] }
                await link.disconnect()
            }
        }
    }

    @Test("Another device's messages come as carbons")
    func carbons() async throws {
        try await withServer { server in
            let mine = LinkFixture.link()
            let other = LinkFixture.link()
            let sink = RecordingSink()
            _ = try await mine.connect(
                try LinkFixture.account(port: server.tlsPort, authority: server.authority), sink: sink)
            _ = try await other.connect(
                try LinkFixture.account(port: server.tlsPort, authority: server.authority, resource: "phone"),
                sink: RecordingSink())
            let stanza = try LinkFixture.message("from the phone")
            try await other.submit([stanza])
            await sink.wait { $0.texts == ["from the phone"] }
            let message = try #require(await sink.messages.first)
            #expect(message.route == .carbonSent)
            #expect(message.from.bare.addressText == "alice@xmpp.test")
            #expect(message.to.addressText == "bob@xmpp.test")
            #expect(message.originID == stanza.id.text)
            await other.disconnect()
            await mine.disconnect()
        }
    }

    @Test("An archive is read in pages, forward, backward, and by time")
    func archive() async throws {
        try await withServer(archive: (name: "alice", peer: "bob", count: 30)) { server in
            let link = LinkFixture.link()
            _ = try await link.connect(
                try LinkFixture.account(port: server.tlsPort, authority: server.authority), sink: RecordingSink())
            func page(_ direction: ArchiveQuery.Direction, _ limit: Int = 12) async throws -> ArchivePage {
                try await link.archivePage(ArchiveQuery(archive: .account, direction: direction, limit: limit))
            }
            let last = try await page(.last)
            #expect(last.items.count == 12)
            #expect(!last.isComplete)
            let first = try #require(last.first)
            #expect(first == last.items.first?.id)
            let before = try await page(.before(first))
            #expect(before.items.count == 12)
            #expect(before.last != first)
            let start = try await page(.before(try #require(before.first)))
            #expect(start.items.count == 6)
            #expect(start.isComplete)
            let all = start.items + before.items + last.items
            #expect(Set(all.map(\.id)).count == 30)
            let next = try await page(.after(try #require(start.last)), 250)
            #expect(next.items.map(\.id) == all.dropFirst(6).map(\.id))
            #expect(next.isComplete)
            let stamp = try #require(all.first?.message?.stamp)
            let since = try await page(.since(stamp), 5)
            #expect(since.items.map(\.id) == all.prefix(5).map(\.id))
            let everything = try await page(.since(Timestamp(milliseconds: 0)), 250)
            #expect(everything.items.map(\.id) == all.map(\.id))
            let further = try await page(.sinceAfter(stamp, try #require(since.last)), 5)
            #expect(further.items.map(\.id) == all[5..<10].map(\.id))
            for item in all {
                let message = try #require(item.message)
                #expect(message.route == .archive(.account, id: item.id))
                #expect(message.stamp != nil)
                #expect(message.body != nil)
            }
            await #expect(throws: Failure(.serverRefused)) { _ = try await page(.after("no such id")) }
            await link.disconnect()
            await #expect(throws: Failure(.netOffline)) { _ = try await page(.last) }
        }
    }

    @Test("What came while nobody was online is in the archive, and comes once live")
    func offline() async throws {
        try await withServer { server in
            try await withPeer(at: server) { peer in
                let texts = (1...30).map { "while offline \($0)" }
                for text in texts { try await peer.send(text, to: "alice@xmpp.test") }
                let link = LinkFixture.link()
                let sink = RecordingSink()
                _ = try await link.connect(
                    try LinkFixture.account(port: server.tlsPort, authority: server.authority), sink: sink)
                let page = try await link.archivePage(
                    ArchiveQuery(archive: .account, direction: .since(Timestamp(milliseconds: 0)), limit: 250))
                #expect(page.items.map { $0.message?.body } == texts)
                #expect(page.isComplete)
                await sink.wait { $0.texts.count == texts.count }
                #expect(await sink.messages.map(\.archiveID) == page.items.map(\.id))
                await link.disconnect()
            }
        }
    }

    @Test("Contacts are added, asked and accepted; presence is seen")
    func contacts() async throws {
        try await withServer { server in
            let alice = LinkFixture.link()
            let bob = LinkFixture.link()
            let aliceSink = RecordingSink()
            let bobSink = RecordingSink()
            _ = try await alice.connect(
                try LinkFixture.account(port: server.tlsPort, authority: server.authority), sink: aliceSink)
            _ = try await bob.connect(
                try LinkFixture.account("bob", port: server.tlsPort, authority: server.authority), sink: bobSink)
            try await alice.addContact(try JID("bob@xmpp.test"))
            let aliceAddress = try JID("alice@xmpp.test")
            let bobAddress = try JID("bob@xmpp.test")
            await bobSink.wait { $0.events.contains(.subscriptionRequest(aliceAddress)) }
            await bob.send([.acceptSubscription(aliceAddress)])
            await aliceSink.wait { sink in
                sink.events.contains { event in
                    if case .rosterPush(let item, false, _) = event {
                        item.jid == bobAddress && item.subscription == .to
                    } else {
                        false
                    }
                }
            }
            await aliceSink.wait { sink in
                sink.events.contains { event in
                    if case .presence(let jid, .online) = event { jid.bare == bobAddress } else { false }
                }
            }
            await bob.disconnect()
            await aliceSink.wait { sink in
                sink.events.contains { event in
                    if case .presence(let jid, .offline) = event { jid.bare == bobAddress } else { false }
                }
            }
            await alice.disconnect()
        }
    }
}
