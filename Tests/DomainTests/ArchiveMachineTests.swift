import Base
import Domain
import Testing

private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }
private func ask(_ direction: ArchiveQuery.Direction) -> ArchiveMachine.Action {
    .request(ArchiveQuery(archive: .account, direction: direction, limit: 250))
}
private func page(
    _ first: String?, _ last: String?, complete: Bool = false, at time: Int64? = nil
) -> ArchiveMachine.Input {
    .didReceive(ArchiveMachine.Page(first: first, last: last, isComplete: complete, lastAt: time.map(at)))
}
private func cursor(
    _ newest: String?, _ oldest: String?, complete: Bool = false, at time: Int64? = nil
) -> ArchiveCursor {
    ArchiveCursor(newest: newest, oldest: oldest, isComplete: complete, newestAt: time.map(at))
}
private func machine(_ inputs: [ArchiveMachine.Input]) -> ArchiveMachine {
    var machine = ArchiveMachine(archive: .account)
    for input in inputs { _ = machine.handle(input) }
    return machine
}
private let first: [ArchiveMachine.Input] = [.didStart(nil)]
private let later: [ArchiveMachine.Input] = [.didStart(cursor("m5", "m1", at: 500_000))]

struct ArchiveMachineTests {
    struct Row: Sendable {
        let before: [ArchiveMachine.Input]
        let input: ArchiveMachine.Input
        let actions: [ArchiveMachine.Action]
        init(_ before: [ArchiveMachine.Input], _ input: ArchiveMachine.Input, _ actions: [ArchiveMachine.Action]) {
            self.before = before
            self.input = input
            self.actions = actions
        }
    }

    static let rows: [Row] = [
        Row([], .didStart(nil), [ask(.last)]),
        Row([], .didStart(cursor("m5", "m1")), [ask(.after("m5"))]),
        Row([], .didStart(cursor(nil, nil, complete: true)), [ask(.since(at(0)))]),
        Row([], page("a", "b"), []),
        Row(first, page("m1", "m9", at: 9), [.commit(cursor("m9", "m1", at: 9), restarts: false), .finish]),
        Row(
            first, page("m1", "m9", complete: true),
            [.commit(cursor("m9", "m1", complete: true), restarts: false), .finish]),
        Row(
            first, page(nil, nil, complete: true),
            [.commit(cursor(nil, nil, complete: true), restarts: false), .finish]),
        Row(later, page(nil, nil, complete: true), [.finish]),
        Row(later, page(nil, nil), [.fail(.serverRefused)]),
        Row(
            later, page("m6", "m7", at: 700_000),
            [.commit(cursor("m7", "m1", at: 700_000), restarts: false), ask(.after("m7"))]),
        Row(
            later, page("m6", "m7", complete: true),
            [.commit(cursor("m7", "m1", at: 500_000), restarts: false), .finish]),
        Row(later, page("m5", "m5"), [.fail(.serverRefused)]),
        Row(later + [page("m6", "m7"), page("m8", "m9")], page("m6", "m7"), [.fail(.serverRefused)]),
        Row(later, .didFailPage(.serverTimeout), [ask(.after("m5"))]),
        Row(later + [.didFailPage(.serverTimeout)], .didFailPage(.serverTimeout), [.fail(.serverTimeout)]),
        Row(
            later + [.didFailPage(.serverTimeout), page("m6", "m7")], .didFailPage(.serverTimeout), [ask(.after("m7"))]),
        Row(later, .didFailPage(.serverRefused), [ask(.since(at(440_000)))]),
        Row(later + [.didFailPage(.serverRefused)], .didFailPage(.serverRefused), [.fail(.serverRefused)]),
        Row(
            later + [.didFailPage(.serverRefused)], page("n1", "n2", at: 600_000),
            [.commit(cursor("n2", "m1", at: 600_000), restarts: false), ask(.sinceAfter(at(440_000), "n2"))]),
        Row([.didStart(cursor("m5", "m1"))], .didFailPage(.serverRefused), [ask(.last)]),
        Row(
            [.didStart(cursor("m5", "m1")), .didFailPage(.serverRefused)], page("n1", "n2"),
            [.commit(cursor("n2", "n1"), restarts: true), .finish]),
        Row(later + [page("m6", "m7")], .didFailPage(.serverRefused), [.fail(.serverRefused)]),
        Row(later, .didFailCommit(.storageFull), [.fail(.storageFull)]),
        Row(later, .didLoseStream, [.fail(.netOffline)]),
        Row(later + [.didLoseStream], page("m6", "m7"), []),
    ]

    @Test("Each input moves each state as the table says", arguments: rows)
    func table(row: Row) {
        var machine = machine(row.before)
        #expect(machine.handle(row.input) == row.actions)
    }

    @Test("A server that never comes to an end is left after a million messages")
    func endless() {
        var machine = machine(later)
        var requests = 0
        var actions: [ArchiveMachine.Action] = [ask(.after("m5"))]
        while case .request = actions.last, requests < 10_000 {
            requests += 1
            actions = machine.handle(page("x\(requests)", "y\(requests)"))
        }
        #expect(requests == 4000)
        #expect(actions.last == .fail(.serverRefused))
    }

    @Test("Only the first pass ever brings history, every other one brings news")
    func history() {
        #expect(machine(first).isFirstPass)
        #expect(!machine(later).isFirstPass)
        #expect(!machine([.didStart(cursor(nil, nil, complete: true))]).isFirstPass)
    }
}
