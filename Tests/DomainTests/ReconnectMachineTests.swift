import Base
import Domain
import Testing

private func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }
private func fail(
    _ code: ErrorCode?, at seconds: Int64, retryAfter: Int64? = nil
) -> ReconnectMachine.Input {
    .didFail(code, retryAfterMilliseconds: retryAfter, at: at(seconds), jitter: .none)
}
private func machine(_ inputs: [ReconnectMachine.Input]) -> ReconnectMachine {
    var machine = ReconnectMachine()
    for input in inputs { _ = machine.handle(input) }
    return machine
}
private let connecting: [ReconnectMachine.Input] = [.didRequestConnect]
private let online = connecting + [.didConnect(at: at(100))]

struct ReconnectMachineTests {
    struct Row: Sendable {
        let before: [ReconnectMachine.Input]
        let input: ReconnectMachine.Input
        let phase: ReconnectMachine.Phase
        let actions: [ReconnectMachine.Action]
        init(
            _ before: [ReconnectMachine.Input], _ input: ReconnectMachine.Input, _ phase: ReconnectMachine.Phase,
            _ actions: [ReconnectMachine.Action] = []
        ) {
            self.before = before
            self.input = input
            self.phase = phase
            self.actions = actions
        }
    }

    static let rows: [Row] = [
        Row([], .didRequestConnect, .connecting, [.connect]),
        Row([], .didRequestDisconnect, .offline),
        Row([], .didConnect(at: at(1)), .offline, [.disconnect]),
        Row([], fail(.netClosed, at: 1), .offline),
        Row(connecting, .didRequestConnect, .connecting),
        Row(connecting, .didConnect(at: at(100)), .online(since: at(100))),
        Row(connecting, .didRequestDisconnect, .offline, [.disconnect]),
        Row(connecting, fail(.netUnreachable, at: 5), .waiting(until: at(6), .netUnreachable), [.wait(until: at(6))]),
        Row(
            connecting, fail(.authTemporary, at: 5, retryAfter: 90_000), .waiting(until: at(95), .authTemporary),
            [.wait(until: at(95))]),
        Row(online, fail(nil, at: 101), .waiting(until: at(102), .netClosed), [.wait(until: at(102))]),
        Row(online, .didRequestConnect, .online(since: at(100))),
        Row(online, .didRequestDisconnect, .offline, [.disconnect]),
        Row(online + [fail(nil, at: 101)], .didConnect(at: at(101)), .waiting(until: at(102), .netClosed)),
        Row(
            online + [fail(nil, at: 101)], .didReachTime(at(101)), .waiting(until: at(102), .netClosed),
            [.wait(until: at(102))]),
        Row(online + [fail(nil, at: 101)], .didReachTime(at(102)), .connecting, [.connect]),
        Row(online + [fail(nil, at: 101)], .didRequestConnect, .connecting, [.connect]),
        Row(online + [fail(nil, at: 101)], .didRequestDisconnect, .offline),
        Row(online + [fail(nil, at: 101), .didRequestDisconnect], .didReachTime(at(102)), .offline),
    ]

    @Test("Each input moves each state as the table says", arguments: rows)
    func table(row: Row) {
        var machine = machine(row.before)
        #expect(machine.handle(row.input) == row.actions)
        #expect(machine.state == row.phase)
    }

    @Test("Delays grow 1, 2, 4 … 60 s over failures")
    func growing() {
        var machine = machine(connecting)
        var delays: [Int64] = []
        var now: Int64 = 0
        for _ in 0..<9 {
            _ = machine.handle(fail(.netUnreachable, at: now))
            guard case .waiting(let until, _) = machine.state else { return }
            delays.append(until.milliseconds / 1000 - now)
            now = until.milliseconds / 1000
            _ = machine.handle(.didReachTime(until))
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test(
        "A connection that did not hold for a minute does not reset the delay, one that did does",
        arguments: [
            (Int64(59), Int64(4)), (60, 1),
        ])
    func stability(held: Int64, delay: Int64) {
        var machine = machine([
            .didRequestConnect, fail(.netClosed, at: 0), .didReachTime(at(1)), fail(.netClosed, at: 1),
            .didReachTime(at(3)), .didConnect(at: at(100)),
        ])
        _ = machine.handle(fail(nil, at: 100 + held))
        #expect(machine.state == .waiting(until: at(100 + held + delay), .netClosed))
    }

    @Test(
        "What the next attempt would meet again stops until a person asks",
        arguments: [
            ErrorCode.authRefused, .authMechanism, .authServerProof, .authDowngrade, .tlsUntrusted, .tlsExpired,
            .tlsWrongName, .tlsRequired, .tlsFailed, .streamConflict, .storageFull, .storageReadOnly,
        ])
    func stops(code: ErrorCode) {
        for before in [connecting, online] {
            var machine = machine(before)
            #expect(machine.handle(fail(code, at: 200)) == [])
            #expect(machine.state == .stopped(code))
            #expect(machine.handle(.didReachTime(at(10_000))) == [])
            #expect(machine.handle(.didRequestConnect) == [.connect])
        }
    }
}
