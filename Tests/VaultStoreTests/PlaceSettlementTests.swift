import Testing

@testable import VaultStore

extension VaultStoreTests {
    /// The table of Docs/FORMATS.md, "After a successful unlock". Place 0 is the one that opened.
    @Suite struct PlaceSettlementTests {
        @Test(
            "What opened decides how an interrupted passcode change ends",
            arguments: [
                // At rest: nothing to do.
                ([.inUse, .inUse, .free, .free], [], [.inUse, .inUse, .free, .free]),
                ([.inUse, .free, .free, .inUse], [], [.inUse, .free, .free, .inUse]),
                // The new passcode: the old one and a duress passcode end.
                ([.arriving, .inUse, .retiring, .free], [1, 2, 3], [.inUse, .inUse, .free, .free]),
                // The old one: the change is undone, the reserve stays as it is.
                ([.retiring, .free, .inUse, .arriving], [3], [.inUse, .free, .inUse, .free]),
                // The reserve: nothing tells which of the others is the passcode.
                ([.inUse, .retiring, .arriving, .free], [], [.inUse, .retiring, .arriving, .free]),
                // Version 0.1, without a reserve: at rest, by the new passcode, by the old one.
                ([.inUse, .free, .free, .free], [], [.inUse, .free, .free, .inUse]),
                ([.inUse, .retiring, .free, .free], [1], [.inUse, .free, .free, .inUse]),
                ([.retiring, .inUse, .free, .free], [1], [.inUse, .free, .free, .inUse]),
                // A key page of an earlier moment.
                ([.free, .inUse, .inUse, .free], [1, 2, 3], [.inUse, .inUse, .free, .free]),
            ] as [([PlaceUse], [Int], [PlaceUse])])
        func table(uses: [PlaceUse], randomised: [Int], settled: [PlaceUse]) {
            let settlement = PlaceSettlement.after(opening: 0, uses) { others in others.last ?? 0 }
            #expect(settlement == PlaceSettlement(randomised: randomised, uses: settled))
        }
    }
}
