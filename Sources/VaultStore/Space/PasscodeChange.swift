internal import Base

/// Gives a space another passcode (Docs/FORMATS.md, "Passcode change"), and ends what an interruption or a failing disk
/// left of that. At every moment the old or the new one opens.
struct PasscodeChange: Sendable {
    private let region: Region
    private let slots: OwnSlots
    private let rootKey: SharedSecret
    private let entropy: Entropy

    init(region: Region, slots: OwnSlots, rootKey: SharedSecret, entropy: Entropy) {
        self.region = region
        self.slots = slots
        self.rootKey = rootKey
        self.entropy = entropy
    }

    /// Of the places that may be the space's passcode, the one that a master key opens; nil if none. The reserve is not
    /// tried: nothing tells here what is in it.
    /// - Parameter known: the place that the session's passcode opened last.
    func place(openedBy master: borrowing SecretBytes, known: Int) throws(Failure) -> Int? {
        let uses = try region.refreshed().places
        let moving = uses.indices.filter { uses[$0] == .retiring || uses[$0] == .arriving }.map { first + $0 }
        for place in [known] + moving where try slots.opens(place, master: master) { return place }
        return nil
    }

    /// The place in use beside the one that opened; nil while a change is unsettled that leaves none.
    func reserve(beside opened: Int) throws(Failure) -> Int? {
        let uses = try region.refreshed().places
        return uses.indices.first { uses[$0] == .inUse && first + $0 != opened }.map { first + $0 }
    }

    /// Ends a change that was interrupted, given the place that opened.
    func settle(opened: Int) throws(Failure) {
        let uses = try region.refreshed().places
        let settlement = PlaceSettlement.after(opening: opened - first, uses, pick: draw)
        if !settlement.randomised.isEmpty { try slots.randomise(settlement.randomised.map { first + $0 }) }
        if settlement.uses != uses { try region.setPlaces { $0 = settlement.uses } }
    }

    /// - Parameters:
    ///   - old: the place of the present passcode.
    ///   - master: of the new passcode.
    /// - Returns: the place of the new one.
    func run(from old: Int, to master: borrowing SecretBytes) throws(Failure) -> Int {
        try settle(opened: old)
        let uses = region.page.places
        let free = uses.indices.filter { uses[$0] == .free }
        guard !free.isEmpty else { throw Failure(.internalFault) }
        let new = draw(from: free)
        try region.setPlaces { places in
            places[new] = .arriving
            places[old - first] = .retiring
        }
        try slots.write(SlotContent(rootKey: rootKey.bytes.copy()), place: first + new, master: master)
        let settlement = PlaceSettlement.after(opening: new, region.page.places, pick: draw)
        try slots.randomise(settlement.randomised.map { first + $0 })
        // The passcode has changed, whatever becomes of this: the next opening would do the same.
        try? region.setPlaces { $0 = settlement.uses }
        return first + new
    }

    private var first: Int { slots.places.lowerBound }

    private func draw(from places: [Int]) -> Int { places[Int(entropy.number(below: UInt64(places.count)))] }
}
