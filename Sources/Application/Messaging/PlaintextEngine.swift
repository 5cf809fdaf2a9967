package import Base
package import Domain

/// The engine of profiles and messages that a person declared plain: it protects nothing and says so.
package struct PlaintextEngine: ProtocolEngine {
    package let name = "plaintext/1"

    package init() {}

    package func seal(_ content: OutgoingContent, in transaction: any StoreTransaction) throws(Failure) -> Envelope {
        Envelope(
            engine: name, payload: Array("<body>\(Self.escaped(content.body.text))</body>".utf8), security: .plaintext)
    }

    /// A plain message has no envelope; whatever comes in one is some other engine's.
    package func open(
        _ envelope: Envelope, from: JID, in transaction: any StoreTransaction
    ) throws(Failure) -> OpenedContent {
        throw Failure(.encryptionRequired)
    }

    /// XML 1.0 character data. Characters that XML cannot carry at all (section 2.2) become U+FFFD.
    static func escaped(_ text: String) -> String {
        var output = ""
        output.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            // A bare carriage return would be read as a line feed (XML 1.0, section 2.11).
            case "\r": output += "&#13;"
            case "\t", "\n", "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
                output.unicodeScalars.append(scalar)
            default: output += "\u{FFFD}"
            }
        }
        return output
    }
}
