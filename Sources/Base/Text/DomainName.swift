internal import CUnicode
internal import Glibc

/// Domain names of addresses: IDNA2008 by UTS 46 without transitional processing, and IP literals (RFC 7622,
/// section 3.2).
package enum DomainName {
    /// The form to compare and show: lower case, U-labels, no final dot; an IPv6 literal in its canonical spelling
    /// between brackets. Nil where it is no domain name.
    package static func normalize(_ text: String) -> String? {
        var text = text[...]
        if text.hasPrefix("[") { return ipv6(text) }
        if text.utf8.last == UInt8(ascii: ".") { text = text.dropLast() }
        if let ascii = asciiName(text.utf8) { return ascii }
        // Lengths of labels are those of their ASCII form.
        guard let name = convert(String(text), ascii: false), convert(name, ascii: true) != nil else { return nil }
        return name
    }

    /// The form for DNS and certificates: A-labels, lower case. Nil where it is no domain name; IP literals stay as
    /// they are, IPv6 without its brackets.
    package static func ascii(_ text: String) -> String? {
        guard let normal = normalize(text) else { return nil }
        if normal.hasPrefix("[") { return String(normal.dropFirst().dropLast()) }
        if normal.utf8.allSatisfy({ $0 < 0x80 }) { return normal }
        return convert(normal, ascii: true)
    }

    /// Lower case of a name of letters, digits and inner hyphens; nil where ICU has to look.
    private static func asciiName(_ bytes: Substring.UTF8View) -> String? {
        guard (1...253).contains(bytes.count) else { return nil }
        var label = 0
        var previous = UInt8(ascii: ".")
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                label += 1
            case UInt8(ascii: "-"):
                // A label like "xn--…" or "ab--…" is for ICU to judge.
                guard label > 0, !(label == 3 && previous == byte) else { return nil }
                label += 1
            case UInt8(ascii: "."):
                guard (1...63).contains(label), previous != UInt8(ascii: "-") else { return nil }
                label = 0
            default:
                return nil
            }
            previous = byte
        }
        guard (1...63).contains(label), previous != UInt8(ascii: "-") else { return nil }
        return String(unsafeUninitializedCapacity: bytes.count) { target in
            for (index, byte) in bytes.enumerated() {
                target[index] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            }
            return bytes.count
        }
    }

    private static func convert(_ text: String, ascii: Bool) -> String? {
        var text = text
        guard (1...1023).contains(text.utf8.count) else { return nil }
        let capacity = 4096
        var length: Int32 = -1
        let name = text.withUTF8 { source in
            String(unsafeUninitializedCapacity: capacity) { target in
                length = postern_domain(
                    source.baseAddress, Int32(source.count), ascii, target.baseAddress, Int32(capacity))
                return max(0, Int(length))
            }
        }
        return length > 0 && !name.hasSuffix(".") ? name : nil
    }

    private static func ipv6(_ text: Substring) -> String? {
        guard text.hasSuffix("]"), text.utf8.count <= 64 else { return nil }
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &address) == 1 else { return nil }
        let capacity = Int(INET6_ADDRSTRLEN)
        let canonical = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
            inet_ntop(AF_INET6, &address, buffer.baseAddress, socklen_t(capacity)).map { String(cString: $0) }
        }
        return canonical.map { "[\($0)]" }
    }
}
