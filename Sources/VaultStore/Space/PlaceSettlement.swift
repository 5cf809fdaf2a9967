/// How a passcode change that was interrupted ends, once one of the space's passcodes has opened one of its own places
/// (the table in Docs/FORMATS.md, "After a successful unlock"). Pure; places count from 0 to 3.
struct PlaceSettlement: Sendable, Equatable {
    /// Places whose slots are to become random bytes.
    let randomised: [Int]
    /// What the key page is to say afterwards.
    let uses: [PlaceUse]

    /// - Parameters:
    ///   - opened: the place that opened.
    ///   - uses: what the key page says.
    ///   - pick: which of the other places becomes the reserve, where there is none.
    static func after(
        opening opened: Int, _ uses: [PlaceUse], pick: (_ others: [Int]) -> Int
    ) -> PlaceSettlement {
        let others = uses.indices.filter { $0 != opened }
        // Version 0.1 marked the new place as in use.
        let hasArriving = uses.contains(.arriving)
        let reserve = others.first { uses[$0] == .inUse }
        /// The opened place and the reserve in use, the others free.
        func settled(_ randomised: [Int], reserve: Int) -> PlaceSettlement {
            PlaceSettlement(
                randomised: randomised, uses: uses.indices.map { $0 == opened || $0 == reserve ? .inUse : .free })
        }
        switch uses[opened] {
        case .inUse where hasArriving:
            // The reserve opened. Which of the other two is the space's passcode, one of them will tell.
            return PlaceSettlement(randomised: [], uses: uses)
        case .inUse:
            return settled(others.filter { uses[$0] == .retiring }, reserve: reserve ?? pick(others))
        case .retiring where hasArriving:
            return settled(others.filter { uses[$0] == .arriving }, reserve: reserve ?? pick(others))
        case .retiring:
            return settled(others.filter { uses[$0] == .inUse }, reserve: pick(others))
        case .arriving, .free:
            return settled(others, reserve: reserve ?? pick(others))
        }
    }
}
