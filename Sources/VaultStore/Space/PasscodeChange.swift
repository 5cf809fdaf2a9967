internal import Base

/// Gives a space another passcode (Docs/FORMATS.md, "Passcode change"). At every moment the old or the new one opens.
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

    /// The place in use now. There is exactly one while a space is open.
    var place: Int? { region.page.places.firstIndex(of: .passcode).map { slots.places.lowerBound + $0 } }

    /// - Parameter master: of the new passcode.
    func run(master: borrowing SecretBytes) throws(Failure) {
        let first = slots.places.lowerBound
        guard let old = place else { throw Failure(.internalFault) }
        let places = region.page.places
        let free = places.indices.filter { places[$0] == .free }
        guard !free.isEmpty else { throw Failure(.internalFault) }
        let chosen = free[Int(entropy.number(below: UInt64(free.count)))]
        try region.setPlaces { places in
            places[chosen] = .passcode
            places[old - first] = .retiring
        }
        try slots.write(
            SlotContent(rootKey: rootKey.bytes.copy(), isFresh: false), place: first + chosen, master: master)
        try slots.randomise([old])
        try region.setPlaces { $0[old - first] = .free }
    }
}
