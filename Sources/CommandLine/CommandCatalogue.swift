/// What can be typed, as `help` shows it. The same in both spaces.
package struct CommandHelp: Sendable {
    /// The words that name the command, for instance `profile add`.
    package let name: String
    package let usage: String
    package let summary: String
}

package let commandCatalogue: [CommandHelp] = [
    CommandHelp(
        name: "profile add",
        usage: "profile add JID [--name N] [--host H] [--port P] [--tls starttls|direct|auto] "
            + "[--ca FILE] [--proxy socks5://H:P] [--plain] [--password-fd N]",
        summary: "Add an account. Nothing connects yet. --plain: its messages may go out unencrypted."),
    CommandHelp(
        name: "profile set",
        usage: "profile set N [--name N] [--host H|--no-host] [--port P] [--tls starttls|direct|auto] "
            + "[--ca FILE|--no-ca] [--proxy socks5://H:P|--no-proxy] [--plain|--no-plain] "
            + "[--password|--password-fd N]",
        summary: "Correct an account; its messages stay. The next connect uses it. --password asks for a new one."),
    CommandHelp(name: "profile list", usage: "profile list", summary: "List the accounts of this space."),
    CommandHelp(name: "profile use", usage: "profile use N", summary: "Close the active account and open this one."),
    CommandHelp(
        name: "profile remove", usage: "profile remove N [--yes]",
        summary: "Destroy an account's messages and keys on this machine, for good."),
    CommandHelp(name: "connect", usage: "connect", summary: "Sign in to the server."),
    CommandHelp(name: "disconnect", usage: "disconnect", summary: "Go offline."),
    CommandHelp(name: "status", usage: "status", summary: "Show account, connection and waiting messages."),
    CommandHelp(name: "contact add", usage: "contact add JID", summary: "Add a contact and ask to see them."),
    CommandHelp(name: "contact accept", usage: "contact accept JID", summary: "Let someone see when you are online."),
    CommandHelp(name: "contact list", usage: "contact list", summary: "List contacts."),
    CommandHelp(
        name: "send", usage: "send JID TEXT [--plain]",
        summary: "Send a message. It is stored first and leaves when there is a connection."),
    CommandHelp(name: "retry", usage: "retry ID", summary: "Send a failed message again."),
    CommandHelp(name: "chats", usage: "chats", summary: "List conversations."),
    CommandHelp(
        name: "history", usage: "history JID [--limit N] [--before ID]", summary: "Show messages, oldest first."),
    CommandHelp(name: "search", usage: "search TEXT", summary: "Find messages that contain these words."),
    CommandHelp(name: "outbox", usage: "outbox", summary: "Show messages that wait for the server."),
    CommandHelp(
        name: "passcode change", usage: "passcode change [--allow-weak] [--passcode-fd N]",
        summary: "Change the passcode of this space: the current one, then the new one. It ends a duress passcode."),
    CommandHelp(
        name: "space add", usage: "space add [--yes] [--allow-weak] [--passcode-fd N]",
        summary: "Make a second space with a passcode of its own. Whatever is in the other half is replaced."),
    CommandHelp(
        name: "duress on", usage: "duress on [--yes] [--allow-weak] [--passcode-fd N]",
        summary:
            "Set a passcode that opens this space and destroys the other half for good: the present passcode, then the "
            + "new one. It works once, and is an ordinary passcode then. " + DuressWarning.text),
    CommandHelp(
        name: "duress off", usage: "duress off [--yes]",
        summary:
            "End the duress passcode. After it was used there are two for this space: the one that opened this session "
            + "stays. A passcode change does the same."),
    CommandHelp(
        name: "vault grow", usage: "vault grow SIZE [--yes]",
        summary: "Enlarge the vault file to SIZE (or by +SIZE), for instance 512M."),
    CommandHelp(
        name: "wait", usage: "wait EVENT [key=value ...] [--timeout S]", summary: "Wait for an event (for scripts)."),
    CommandHelp(name: "lock", usage: "lock", summary: "Close everything and forget the keys."),
    CommandHelp(name: "quit", usage: "quit", summary: "The same, and leave."),
    CommandHelp(name: "help", usage: "help [COMMAND]", summary: "Show this, or one command."),
]

/// The entries that `topic` names: all for nil, none for an unknown word.
package func helpEntries(for topic: String?) -> [CommandHelp] {
    guard let topic else { return commandCatalogue }
    return commandCatalogue.filter { $0.name == topic || $0.name.hasPrefix(topic + " ") }
}

/// How the command that `words` begin with is written; nothing for an unknown one.
package func usage(of words: [String]) -> [String] {
    guard let first = words.first else { return [] }
    let exact = helpEntries(for: words.prefix(2).joined(separator: " "))
    return (exact.isEmpty ? helpEntries(for: first) : exact).map(\.usage)
}
