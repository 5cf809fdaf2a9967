package import Base

/// The words of one command, taken apart by name: options in any place, the rest in order. `--` ends the options.
package struct Words {
    private var positional: [String] = []
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    /// - Parameters:
    ///   - valued: options that take the next word (or `--name=value`).
    ///   - plain: options that stand alone.
    /// Throws `command.usage` for an unknown or repeated option or a missing value.
    package init(_ words: some Sequence<String>, valued: Set<String> = [], plain: Set<String> = []) throws(Failure) {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--"), word != "--" else {
                if word == "--" {
                    positional += rest
                    break
                }
                positional.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if valued.contains(parts[0]) {
                guard values[parts[0]] == nil, let value = parts.count == 2 ? parts[1] : rest.popFirst()
                else { throw Failure(.commandUsage) }
                values[parts[0]] = value
            } else if plain.contains(word), flags.insert(word).inserted {
                continue
            } else {
                throw Failure(.commandUsage)
            }
        }
    }

    /// Whether a plain option was given.
    package func flag(_ name: String) -> Bool { flags.contains(name) }
    /// The value of an option; nil where it was not given.
    package func value(_ name: String) -> String? { values[name] }

    /// A whole number within `range`. Throws `command.usage`.
    package func number<Number: FixedWidthInteger>(
        _ name: String, in range: ClosedRange<Number>
    ) throws(Failure) -> Number? {
        guard let text = values[name] else { return nil }
        guard let number = Number(text), range.contains(number) else { throw Failure(.commandUsage) }
        return number
    }

    /// The number of a descriptor. Throws `command.usage`.
    package func descriptor(_ name: String) throws(Failure) -> Int32? { try number(name, in: 0...1_048_576) }

    /// Exactly `count` words that are no options. Throws `command.usage`.
    package func positional(_ count: Int) throws(Failure) -> [String] {
        guard positional.count == count else { throw Failure(.commandUsage) }
        return positional
    }

    /// At least `count` words that are no options. Throws `command.usage`.
    package func positional(atLeast count: Int) throws(Failure) -> [String] {
        guard positional.count >= count else { throw Failure(.commandUsage) }
        return positional
    }
}

/// A size in bytes: a number with an optional unit `K`, `M`, `G` (powers of 1,024; `KiB` and `KB` mean the same).
/// nil for anything else; more than 1 TiB counts as 1 TiB.
package func byteSize(_ text: String) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let units: [String: Int64] = ["": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    var unit = text.dropFirst(digits.count).uppercased()
    for ending in ["IB", "B"] where unit.hasSuffix(ending) {
        unit.removeLast(ending.count)
        break
    }
    guard !digits.isEmpty, let factor = units[unit] else { return nil }
    let limit: Int64 = 1 << 40
    // More digits than a number holds are more than enough as well.
    guard let number = Int64(digits), number <= limit / factor else { return limit }
    return number * factor
}
