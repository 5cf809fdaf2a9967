import Application
import Base
import Domain
import Support
import Testing

struct ConnectionTests {
    private func states(_ rig: SessionRig) -> [ConnectionState] {
        rig.events.events.compactMap { if case .connection(_, let state, _) = $0 { state } else { nil } }
    }

    @Test("Connecting answers when online, and says what was negotiated")
    func online() async throws {
        let rig = try SessionRig()
        try await rig.online()
        let status = try await rig.session.status()
        #expect(status.connection == .online && status.code == nil)
        #expect(status.link?.tls == "TLSv1.3" && status.security == .plaintext)
        #expect(states(rig) == [.connecting, .online])
    }

    @Test("Nothing connects by itself")
    func quiet() async throws {
        let rig = try SessionRig()
        await rig.session.start()
        _ = try await rig.send("hello")
        await letOthersRun()
        #expect(rig.server.connects == 0)
        #expect(try await rig.session.status().connection == .offline)
    }

    @Test("An attempt that fails throws its code and is repeated after the delay")
    func retry() async throws {
        let rig = try SessionRig()
        rig.server.failNextConnects([Failure(.netUnreachable)])
        await #expect(throws: Failure(.netUnreachable)) { try await rig.online() }
        #expect(try await rig.session.status().connection == .waiting)
        #expect(await becomesTrue { rig.clock.sleepers > 0 })
        rig.clock.advance(milliseconds: 1000)
        #expect(await becomesTrue { states(rig).last == .online })
        #expect(rig.server.connects == 2)
    }

    @Test("A refused sign-in stops until a person asks again")
    func refused() async throws {
        let rig = try SessionRig()
        rig.server.failNextConnects([Failure(.authRefused)])
        await #expect(throws: Failure(.authRefused)) { try await rig.online() }
        let status = try await rig.session.status()
        #expect(status.connection == .offline && status.code == .authRefused)
        rig.clock.advance(milliseconds: 600_000)
        await letOthersRun()
        #expect(rig.server.connects == 1)
        try await rig.session.connect()
        #expect(rig.server.connects == 2)
    }

    @Test("Connecting answers after thirty seconds at the latest")
    func deadline() async throws {
        let rig = try SessionRig()
        await rig.session.start()
        await rig.link.hang()
        async let answer = Result { try await rig.session.connect() }
        #expect(await becomesTrue { rig.clock.sleepers == 1 })
        rig.clock.advance(milliseconds: 30_000)
        #expect(await answer.code == .netTimeout)
        #expect(try await rig.session.status().connection == .connecting)
    }

    @Test("A stream that ends is opened again; one that a person ended is not")
    func ends() async throws {
        let rig = try SessionRig()
        try await rig.online()
        await rig.link.breakStream()
        #expect(await becomesTrue { states(rig).last == .waiting && rig.clock.sleepers > 0 })
        rig.clock.advance(milliseconds: 1000)
        #expect(await becomesTrue { states(rig).last == .online })
        try await rig.session.disconnect()
        #expect(states(rig).last == .offline)
        rig.clock.advance(milliseconds: 600_000)
        await letOthersRun()
        #expect(rig.server.connects == 2)
    }

    @Test("Disconnecting calls off an attempt under way, and the next one is a new one")
    func callOff() async throws {
        let rig = try SessionRig()
        await rig.session.start()
        await rig.link.hang()
        async let first = Result { try await rig.session.connect() }
        #expect(await becomesTrue { states(rig) == [.connecting] })
        await letOthersRun()
        try await rig.session.disconnect()
        #expect(await first.code == .netOffline)
        try await rig.session.connect()
        #expect(try await rig.session.status().connection == .online)
        #expect(await rig.link.isConnected)
    }

    @Test("Closing ends network, tasks and database, and every command afterwards is refused")
    func close() async throws {
        let rig = try SessionRig()
        rig.server.answer(.acceptSilently)
        try await rig.online()
        let id = try await rig.send("hello")
        async let one: Void = rig.session.close()
        async let two: Void = rig.session.close()
        _ = await (one, two)
        #expect(rig.store.isClosed)
        #expect(await !rig.link.isConnected)
        #expect(rig.clock.sleepers == 0)
        await #expect(throws: Failure(.sessionEnded)) { try await rig.send("too late") }
        await #expect(throws: Failure(.sessionEnded)) { try await rig.session.connect() }
        await #expect(throws: Failure(.sessionEnded)) { _ = try await rig.session.chats() }
        #expect(rig.delivery(id) != nil)
    }
}

/// A command's end as a value.
struct Result: Sendable {
    let code: ErrorCode?
    init(_ body: () async throws -> Void) async {
        do {
            try await body()
            code = nil
        } catch {
            code = (error as? Failure)?.code ?? .internalFault
        }
    }
}
