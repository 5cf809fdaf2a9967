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
    package var line: String { JSON.message(self).messageLine }
}

extension JSON {
    /// An answer in lines for a person: one a list entry or member, nothing for an empty answer but "Done.".
    package var textLines: [String] {
        guard case .object(let members) = self, !members.isEmpty else { return ["Done."] }
        return members.flatMap { $0.value.lines(named: $0.key) }
    }

    private func lines(named name: String) -> [String] {
        switch (name, self) {
        case (_, .array(let entries)) where entries.isEmpty: ["Nothing."]
        case ("commands", .array(let entries)):
            entries.flatMap { [$0.text("usage"), "    " + $0.text("summary")] }
        case (_, .array(let entries)): entries.map { $0.entry(of: name) }
        case ("profile", .object): ["Account " + profileLine]
        case ("message", .object): [messageLine]
        case ("report", .object(let members)): members.flatMap { $0.value.lines(named: $0.key) }
        default: ["\(name): \(text)"]
        }
    }

    private func entry(of list: String) -> String {
        switch list {
        case "messages": messageLine
        case "profiles": profileLine
        case "chats": chatLine
        case "contacts": "\(address): \(text("presence")), subscription \(text("subscription"))"
        case "items": waitingLine
        case "steps": "\(text("at").minuteOfTimestamp) \(text("name")): \(text("state"))"
        case "readBack", "notCovered": "\(list): \(text)"
        default: text
        }
    }

    /// A message: time, author, text, and how it fared; the id only where `retry` wants it.
    fileprivate var messageLine: String {
        let author = self["direction"] == .string("out") ? "you" : text("from")
        let body = self["body"] == nil ? "cannot be decrypted" : text("body")
        let plain = self["security"] == .string("plaintext") ? " [unencrypted]" : ""
        return "\(text("at").minuteOfTimestamp) \(author): \(body)\(fate)\(plain)"
    }

    private var fate: String {
        guard self["state"] != nil else { return "" }
        guard let code = self["code"] else { return " (\(text("state")))" }
        let reason = ErrorCode(rawValue: code.text)?.text ?? code.text
        return " (failed: \(reason) To send it again: retry \(text("id")))"
    }

    private var profileLine: String {
        "\(text("name")): \(text("jid"))" + (self["active"] == .bool(true) ? " (in use)" : "")
    }

    private var chatLine: String {
        let unread = self["unread"] == .number(0) ? "" : ", \(text("unread")) unread"
        return address + unread + (self["last"].map { ". " + $0.messageLine } ?? "")
    }

    private var waitingLine: String {
        let next: String
        if case .number(let milliseconds) = self["nextAttemptMs"] {
            next = ", the next one in \(max(1, (milliseconds + 999) / 1000)) s"
        } else {
            next = ""
        }
        return "To \(text("chat")): \(text("state")), attempts: \(text("attempts"))\(next), id \(text("id"))"
    }

    private var address: String { text("jid") + (self["name"] == nil ? "" : " (\(text("name")))") }

    /// The member of that name in words; empty where there is none.
    private func text(_ name: String) -> String { self[name]?.text ?? "" }

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

extension String {
    /// `2026-11-30T12:00:45.912Z` as `2026-11-30 12:00 UTC`.
    fileprivate var minuteOfTimestamp: String {
        let parts = split(separator: "T")
        guard parts.count == 2 else { return self }
        return "\(parts[0]) \(parts[1].prefix(5)) UTC"
    }
}

/// Text from outside, on one line, with nothing in it that a terminal obeys.
private func safe(_ text: String) -> String { SafeText(text).string }
