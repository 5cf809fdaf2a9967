/// A JSON value to be written (RFC 8259). Objects keep the order of their members.
package enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Int64)
    case string(String)
    case array([JSON])
    case object([Member])

    /// A name and its value.
    package struct Member: Sendable, Equatable {
        package let key: String
        package let value: JSON
        package init(_ key: String, _ value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// An object of the members whose value is known: unknown values are left out.
    package static func members(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { key, value in value.map { Member(key, $0) } })
    }

    /// The member of that name, for objects.
    package subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// One line of UTF-8 without a line break. Control characters are escaped, U+2028 and U+2029 too.
    package var line: [UInt8] {
        var output: [UInt8] = []
        write(to: &output)
        return output
    }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let value): output += (value ? "true" : "false").utf8
        case .number(let value): output += String(value).utf8
        case .string(let text): Self.write(text, to: &output)
        case .array(let values): Self.write(values, between: ("[", "]"), to: &output) { $0.write(to: &$1) }
        case .object(let members):
            Self.write(members, between: ("{", "}"), to: &output) { member, output in
                Self.write(member.key, to: &output)
                output += ":".utf8
                member.value.write(to: &output)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], between marks: (StaticString, StaticString), to output: inout [UInt8],
        _ write: (Element, inout [UInt8]) -> Void
    ) {
        output += marks.0.description.utf8
        for (index, element) in elements.enumerated() {
            if index > 0 { output += ",".utf8 }
            write(element, &output)
        }
        output += marks.1.description.utf8
    }

    private static func write(_ text: String, to output: inout [UInt8]) {
        output += "\"".utf8
        defer { output += "\"".utf8 }
        // As most are: printable ASCII with nothing to escape.
        guard !text.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) else {
            output += text.utf8
            return
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\"".utf8
            case "\\": output += "\\\\".utf8
            case "\n": output += "\\n".utf8
            case "\r": output += "\\r".utf8
            case "\t": output += "\\t".utf8
            case _
            where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028
                || scalar.value == 0x2029:
                let hex = String(scalar.value, radix: 16)
                output += "\\u".utf8
                output += String(repeating: "0", count: 4 - hex.count).utf8
                output += hex.utf8
            default: output += String(scalar).utf8
            }
        }
    }
}
