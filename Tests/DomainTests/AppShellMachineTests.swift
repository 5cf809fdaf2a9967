import Base
import Domain
import Testing

private func id(_ byte: UInt8) -> ProfileID {
    ProfileID(entropy: Entropy { $0.initializeMemory(as: UInt8.self, repeating: byte) })
}
private let one = id(1)
private let two = id(2)

private func machine(after inputs: [AppShellMachine.Input]) -> AppShellMachine {
    var machine = AppShellMachine()
    for input in inputs { _ = machine.handle(input) }
    return machine
}

private let start: [AppShellMachine.Input] = [.didStart]
private let unlocking = start + [.didEnterPasscode]
private let openingReal = unlocking + [.didUnlock(.real)]
private let openingDecoy = unlocking + [.didUnlock(.decoy)]
private let openingProfile = openingReal + [.didOpenSpace(last: one)]
private let active = openingProfile + [.didOpenProfile(one)]
private let decoyActive = openingDecoy + [.didOpenSpace(last: one), .didOpenProfile(one)]
private let empty = openingReal + [.didOpenSpace(last: nil)]
private let switching = active + [.didChooseProfile(two)]
private let switchingOpen = switching + [.didCloseProfile]
private let erasing = active + [.didConfirmErase(one)]
private let closing = active + [.didRequestLock]

struct AppShellMachineTests {
    struct Row: Sendable {
        let before: [AppShellMachine.Input]
        let input: AppShellMachine.Input
        let state: ShellState
        let actions: [AppShellMachine.Action]
        init(
            _ before: [AppShellMachine.Input], _ input: AppShellMachine.Input, _ state: ShellState,
            _ actions: [AppShellMachine.Action] = []
        ) {
            self.before = before
            self.input = input
            self.state = state
            self.actions = actions
        }
    }

    static let rows: [Row] = [
        Row([], .didStart, .locked),
        Row([], .didEnterPasscode, .bootstrapping, [.refuse(.commandNotActive)]),
        Row(start, .didEnterPasscode, .unlocking, [.tryPasscode]),
        Row(start, .didChooseProfile(one), .locked, [.refuse(.commandNotActive)]),
        Row(start, .didConfirmErase(one), .locked, [.refuse(.commandNotActive)]),
        Row(unlocking, .didRefusePasscode, .locked),
        Row(unlocking, .didFailToUnlock(.unlockDelayed), .locked),
        Row(unlocking, .didFailToUnlock(.memoryShort), .locked),
        Row(unlocking, .didFailToUnlock(.vaultDamaged), .recoveryRequired(.vaultDamaged)),
        Row(unlocking, .didUnlock(.real), .openingReal(nil), [.openSpace]),
        Row(unlocking, .didUnlock(.decoy), .openingDecoy(nil), [.openSpace]),
        Row(unlocking, .didEnterPasscode, .unlocking, [.refuse(.commandNotActive)]),
        Row(openingReal, .didOpenSpace(last: nil), .realActive(nil)),
        Row(openingReal, .didOpenSpace(last: one), .openingReal(one), [.openProfile(one)]),
        Row(openingReal, .didFailToOpenSpace(.storageDamaged), .recoveryRequired(.storageDamaged), [.closeSpace]),
        Row(openingReal, .didFailToOpenSpace(.storageDiskFull), .locked, [.closeSpace]),
        Row(openingDecoy, .didOpenSpace(last: one), .openingDecoy(one), [.openProfile(one)]),
        Row(openingProfile, .didOpenProfile(one), .realActive(one)),
        Row(openingProfile, .didOpenProfile(two), .openingReal(one)),
        Row(openingProfile, .didFailToOpenProfile(.storageVersion), .recoveryRequired(.storageVersion), [.closeSpace]),
        Row(empty, .didChooseProfile(two), .switchingProfile(from: nil, to: two), [.openProfile(two)]),
        Row(active, .didChooseProfile(one), .realActive(one)),
        Row(active, .didChooseProfile(two), .switchingProfile(from: one, to: two), [.closeProfile]),
        Row(switching, .didCloseProfile, .switchingProfile(from: one, to: two), [.openProfile(two)]),
        Row(switching, .didChooseProfile(one), .switchingProfile(from: one, to: two), [.refuse(.commandNotActive)]),
        Row(switchingOpen, .didOpenProfile(two), .realActive(two)),
        Row(decoyActive + [.didChooseProfile(two), .didCloseProfile], .didOpenProfile(two), .decoyActive(two)),
        Row(active, .didConfirmErase(one), .erasing, [.closeProfile]),
        Row(active, .didConfirmErase(two), .erasing, [.eraseProfile(two)]),
        Row(erasing, .didCloseProfile, .erasing, [.eraseProfile(one)]),
        Row(erasing + [.didCloseProfile], .didErase, .realActive(nil)),
        Row(active + [.didConfirmErase(two)], .didErase, .realActive(one)),
        Row(closing, .didCloseSpace, .locked),
        Row(closing + [.didCloseSpace], .didEnterPasscode, .unlocking, [.tryPasscode]),
        Row(closing, .didEnterPasscode, .locked, [.refuse(.commandNotActive)]),
    ]

    @Test("Each input moves each state as the table says", arguments: rows)
    func table(row: Row) {
        var machine = machine(after: row.before)
        #expect(machine.handle(row.input) == row.actions)
        #expect(machine.state == row.state)
    }

    @Test(
        "A failure at any step of a switch ends locked or in recovery, never in a profile",
        arguments: [switching, switchingOpen],
        [ErrorCode.storageDamaged, .storageFull, .profileMissing, .internalFault])
    func failedSwitch(before: [AppShellMachine.Input], code: ErrorCode) {
        var machine = machine(after: before)
        #expect(machine.handle(.didFailToOpenProfile(code)) == [.closeSpace])
        #expect(machine.activeProfile == nil)
        _ = machine.handle(.didCloseSpace)
        #expect(machine.state == .locked || machine.state == .recoveryRequired(code))
        #expect(machine.handle(.didOpenProfile(one)) == [] && !machine.isActive)
    }

    @Test(
        "A lock is final from every state: what was under way only closes",
        arguments: [
            unlocking, openingReal, openingProfile, active, decoyActive, empty, switching, switchingOpen, erasing,
        ])
    func lockWins(before: [AppShellMachine.Input]) {
        let late: [AppShellMachine.Input] = [
            .didUnlock(.real), .didOpenSpace(last: one), .didOpenProfile(one), .didOpenProfile(two), .didCloseProfile,
            .didErase, .didFailToOpenProfile(.storageDamaged),
        ]
        for input in late {
            var machine = machine(after: before)
            _ = machine.handle(.didRequestLock)
            #expect(machine.state == .locked)
            let actions = machine.handle(input)
            #expect(actions.allSatisfy { $0 == .closeSpace })
            #expect(machine.state == .locked && !machine.isActive)
            _ = machine.handle(.didCloseSpace)
            #expect(machine.state == .locked)
        }
    }

    @Test("Real and decoy show the same screen at every step (invariant 2)")
    func sameScreens() {
        let steps: [AppShellMachine.Input] = [
            .didOpenSpace(last: one), .didOpenProfile(one), .didChooseProfile(two), .didCloseProfile,
            .didOpenProfile(two), .didConfirmErase(two), .didCloseProfile, .didErase, .didRequestLock, .didCloseSpace,
        ]
        var real = machine(after: openingReal)
        var decoy = machine(after: openingDecoy)
        #expect(real.state.screen == decoy.state.screen)
        for step in steps {
            #expect(real.handle(step) == decoy.handle(step))
            #expect(real.state.screen == decoy.state.screen)
        }
    }
}
