/// Random numbers that a seed repeats (SplitMix64).
struct SeededChance {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func number(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) % UInt64(bound))
    }

    mutating func element<Element>(of elements: [Element]) -> Element { elements[number(below: elements.count)] }
}

/// One way to get a passcode wrong.
func mistypedEntry(of passcode: String, _ chance: inout SeededChance) -> MistypedEntry {
    let kind = chance.element(
        of: ["edit", "edit", "case", "layout", "paste", "partial", "empty", "spaces", "foreign", "cancelled", "killed"])
    let characters = Array(passcode)
    let whole = Array(passcode.utf8)
    var how = MistypedEntry.How.entered
    let bytes: [UInt8]
    switch kind {
    case "edit": bytes = Array(String(edited(characters, &chance)).utf8)
    case "case": bytes = Array(String(wrongCase(characters, &chance)).utf8)
    case "layout": bytes = Array(wrongLayout(characters, &chance).utf8)
    case "paste":
        bytes = chance.element(
            of: [
                whole + [10, 10], [10] + whole, whole + [13], whole + [10] + whole, [27, 91, 50, 48, 48, 126] + whole,
            ])
    case "partial":
        let cut = 1 + chance.number(below: whole.count - 1)
        bytes = chance.element(of: [Array(whole.prefix(cut)), Array(whole.suffix(cut)), whole + whole.prefix(cut)])
    case "empty": bytes = []
    case "spaces":
        bytes = chance.element(
            of: [[32] + whole, whole + [32], Array(passcode.replacing(" ", with: "").utf8), [32, 32, 32]])
    case "foreign":
        let length = chance.element(of: [1, 16, 1024, 1025, 5000])
        bytes = (0..<length).map { _ in UInt8(chance.number(below: 256)) }
    case "cancelled":
        bytes = whole
        how = .cancelled
    default:
        // Also of a right one: the kill is what went wrong.
        bytes = chance.number(below: 2) == 0 ? whole : Array(String(edited(characters, &chance)).utf8)
        how = .killed(chance.number(below: 11))
    }
    return MistypedEntry(kind: kind, bytes: bytes, how: how)
}

/// One to three slips: a character more, less, other, or two swapped.
private func edited(_ passcode: [Character], _ chance: inout SeededChance) -> [Character] {
    var text = passcode
    for _ in 0...chance.number(below: 3) {
        let place = chance.number(below: text.count)
        let letter = chance.element(of: Array("abcdefghijklmnopqrstuvwxyz0123456789 -,.'ABCXYZ"))
        switch chance.number(below: 4) {
        case 0: text.insert(letter, at: place)
        case 1 where text.count > 1: text.remove(at: place)
        case 2 where place + 1 < text.count: text.swapAt(place, place + 1)
        default: text[place] = letter
        }
    }
    return text
}

private func wrongCase(_ passcode: [Character], _ chance: inout SeededChance) -> [Character] {
    func swapped(_ character: Character) -> Character {
        let other = character.isUppercase ? character.lowercased() : character.uppercased()
        return other.first ?? character
    }
    switch chance.number(below: 4) {
    case 0: return passcode.map(swapped)
    case 1: return Array(String(passcode).uppercased())
    case 2: return Array(String(passcode).lowercased())
    default:
        var text = passcode
        let place = chance.number(below: text.count)
        text[place] = swapped(text[place])
        return text
    }
}

/// The same keys on another keyboard.
private func wrongLayout(_ passcode: [Character], _ chance: inout SeededChance) -> String {
    let keys = Array("qwertyuiop[]asdfghjkl;'zxcvbnm,./-")
    let layouts = [
        "йцукенгшщзхъфывапролджэячсмитьбю.-", "qwertzuiopü+asdfghjklöäyxcvbnm,.-ß",
        "azertyuiop^$qsdfghjklmùwxcvbn,;:!)",
        "',.pyfgcrl/=aoeuidhtns-;qjkxbmwvz[",
    ]
    let layout = Array(chance.element(of: layouts))
    return String(
        passcode.map { character in
            guard let key = keys.firstIndex(of: Character(character.lowercased())) else { return character }
            return character.isUppercase ? Character(String(layout[key]).uppercased()) : layout[key]
        })
}
