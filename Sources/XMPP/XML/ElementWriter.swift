/// Writes elements as XML. Characters that XML 1.0 does not allow (section 2.2) are left out: no text of a person's
/// can break the stream.
package struct ElementWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// `element` as a child of a parent whose default namespace is `parentNamespace`.
    package static func bytes(_ element: Element, in parentNamespace: String = Namespace.client) -> [UInt8] {
        var writer = ElementWriter()
        writer.bytes.reserveCapacity(256)
        writer.write(element, in: parentNamespace)
        return writer.bytes
    }

    /// The start tag alone, with `declarations` before its attributes: a stream's header.
    mutating func writeOpen(_ element: Element, _ declarations: KeyValuePairs<String, String>) {
        append("<")
        append(element.name)
        for (name, value) in declarations { writeAttribute(name, value) }
        writeAttributes(element)
        append(">")
    }

    package mutating func write(_ element: Element, in parentNamespace: String) {
        writeStart(element, in: parentNamespace)
        guard !element.children.isEmpty else {
            append("/>")
            return
        }
        append(">")
        for child in element.children {
            switch child {
            case .element(let child): write(child, in: element.namespace)
            case .text(let text): escape(text, inAttribute: false)
            }
        }
        append("</")
        append(element.name)
        append(">")
    }

    private mutating func writeStart(_ element: Element, in parentNamespace: String) {
        append("<")
        append(element.name)
        if element.namespace != parentNamespace { writeAttribute("xmlns", element.namespace) }
        writeAttributes(element)
    }

    private mutating func writeAttributes(_ element: Element) {
        var prefixes = 0
        for attribute in element.attributes {
            switch attribute.namespace {
            case "": writeAttribute(attribute.name, attribute.value)
            case Namespace.xml: writeAttribute("xml:\(attribute.name)", attribute.value)
            default:
                writeAttribute("xmlns:p\(prefixes)", attribute.namespace)
                writeAttribute("p\(prefixes):\(attribute.name)", attribute.value)
                prefixes += 1
            }
        }
    }

    private mutating func writeAttribute(_ name: String, _ value: String) {
        append(" ")
        append(name)
        append("='")
        escape(value, inAttribute: true)
        append("'")
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func escape(_ text: String, inAttribute: Bool) {
        var skip = 0
        let utf8 = text.utf8
        var index = utf8.startIndex
        while index < utf8.endIndex {
            let byte = utf8[index]
            defer { utf8.formIndex(after: &index) }
            guard skip == 0 else {
                skip -= 1
                continue
            }
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "'") where inAttribute: append("&apos;")
            case UInt8(ascii: "\"") where inAttribute: append("&quot;")
            // White space that a parser would normalise away.
            case 0x0D: append("&#xD;")
            case 0x0A where inAttribute: append("&#xA;")
            case 0x09 where inAttribute: append("&#x9;")
            case 0x09, 0x0A: bytes.append(byte)
            case 0x00..<0x20: continue
            case 0xEF where Self.isNoncharacter(utf8, index): skip = 2
            default: bytes.append(byte)
            }
        }
    }

    /// U+FFFE and U+FFFF: EF BF BE and EF BF BF.
    private static func isNoncharacter(_ utf8: String.UTF8View, _ index: String.Index) -> Bool {
        let second = utf8.index(after: index)
        guard second < utf8.endIndex, utf8[second] == 0xBF else { return false }
        let third = utf8.index(after: second)
        return third < utf8.endIndex && utf8[third] >= 0xBE
    }
}
