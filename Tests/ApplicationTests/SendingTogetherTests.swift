import Application
import Base
import Domain
import Support
import Testing

struct SendingTogetherTests {
    @Test("Messages sent together are stored together or not at all, and go out in their order")
    func together() async throws {
        let rig = try SessionRig(isPlain: false)
        await rig.session.start()
        let to = try JID("bob@xmpp.test")
        let drafts = try ["one", "two", "three"].map { MessageDraft(body: try MessageBody($0), to: to, plain: true) }
        let encrypted = MessageDraft(body: try MessageBody("four"), to: to, plain: false)
        await #expect(throws: Failure(.encryptionRequired)) { try await rig.session.send(drafts + [encrypted]) }
        #expect(rig.outbox.isEmpty)
        let ids = try await rig.session.send(drafts)
        #expect(rig.outbox.map(\.id) == ids && Set(ids).count == 3)
        try await rig.session.connect()
        #expect(await becomesTrue { rig.server.deliveries == ids })
    }
}
