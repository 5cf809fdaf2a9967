package import Base

/// Splits a line into words as a POSIX shell does (XCU 2.2, 2.3), without expansions: blanks separate, single quotes keep
/// everything, double quotes keep all but `\"`, `\\`, `\$`, `` \` ``, and a backslash outside quotes keeps the next character.
///
/// Throws `input.invalid` for an unclosed quote or a backslash at the end.
package func shellWords(_ line: String) throws(Failure) -> [String] {
    var words: [String] = []
    var word: String.UnicodeScalarView?
    var rest = line.unicodeScalars[...]

    while let scalar = rest.popFirst() {
        switch scalar {
        case " ", "\t", "\n", "\r":
            if let finished = word { words.append(String(finished)) }
            word = nil
        case "'":
            var text = word ?? String.UnicodeScalarView()
            guard let end = rest.firstIndex(of: "'") else { throw Failure(.inputInvalid) }
            text.append(contentsOf: rest[..<end])
            rest = rest[rest.index(after: end)...]
            word = text
        case "\"":
            word = (word ?? String.UnicodeScalarView()) + (try doubleQuoted(&rest))
        case "\\":
            guard let next = rest.popFirst() else { throw Failure(.inputInvalid) }
            word = (word ?? String.UnicodeScalarView()) + [next]
        default:
            word = (word ?? String.UnicodeScalarView()) + [scalar]
        }
    }
    if let finished = word { words.append(String(finished)) }
    return words
}

private func doubleQuoted(_ rest: inout Substring.UnicodeScalarView) throws(Failure) -> String.UnicodeScalarView {
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
        if scalar == "\"" { return text }
        if scalar == "\\", let next = rest.first, ["\"", "\\", "$", "`"].contains(next) {
            text.append(next)
            rest.removeFirst()
        } else {
            text.append(scalar)
        }
    }
    throw Failure(.inputInvalid)
}
