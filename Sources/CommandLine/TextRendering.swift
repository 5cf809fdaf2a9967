package import Application
import Base
import Domain
import Terminal

extension AppEvent {
    /// The event in words; nil where a line would only disturb.
    package var line: String? {
        switch self {
        case .connection(let profile, let state, let code):
            "* \(profile.text): \(state.rawValue)" + (code.map { ". \($0.text)" } ?? "")
        case .delivery(_, _, let delivery): delivery.failureCode.map { "* A message failed. \($0.text)" }
        case .message(_, let message): "* " + message.line
        case .subscription(_, let jid):
            "* \(safe(jid.addressText)) asks to see when you are online. To allow it: contact accept ADDRESS"
        case .screen, .changed: nil
        }
    }
}

extension Message {
    /// Time, author, text, and how it fared, on one line.
    package var line: String {
        let author = direction == .outgoing ? "you" : safe(from.addressText)
        let state = delivery.map { " (\($0.text))" } ?? ""
        let plain = security == .plaintext ? " [plain]" : ""
        return "\(at.text) \(author): \(body.map { safe($0.text) } ?? "cannot be decrypted")\(state)\(plain)"
    }
}

extension JSON {
    /// An answer in lines for a person: one a list entry or member, nothing for an empty answer but "Done.".
    package var textLines: [String] {
        guard case .object(let members) = self, !members.isEmpty else { return ["Done."] }
        return members.flatMap { member -> [String] in
            guard case .array(let entries) = member.value else { return ["\(member.key): \(member.value.text)"] }
            return entries.isEmpty ? ["Nothing."] : entries.map(\.text)
        }
    }

    private var text: String {
        switch self {
        case .null: ""
        case .bool(let value): value ? "yes" : "no"
        case .number(let value): String(value)
        case .string(let text): safe(text)
        case .array(let values): values.map(\.text).joined(separator: ", ")
        case .object(let members): members.map { "\($0.key) \($0.value.text)" }.joined(separator: "  ")
        }
    }
}

/// Text from outside, on one line, with nothing in it that a terminal obeys.
private func safe(_ text: String) -> String { SafeText(text).string }
