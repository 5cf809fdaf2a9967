internal import Glibc

/// What the parent hands to the session child besides the terminal: descriptors by number, nothing secret.
package struct Handover: Sendable, Equatable {
    /// The locked vault file, for reading and writing.
    package let vault: Int32
    /// The child's end of the channel on which it asks the parent to open files.
    package let channel: Int32
    /// The log file to append to, if a person named one.
    package let log: Int32?
    /// Whether the vault file was made just now, for this child to fill.
    package let isNew: Bool

    package init(vault: Int32, channel: Int32, log: Int32?, isNew: Bool) {
        self.vault = vault
        self.channel = channel
        self.log = log
        self.isNew = isNew
    }

    /// Keeps these descriptors from being taken for a person's own, and from programs that the child may start.
    package func claim() {
        for descriptor in [vault, channel] + (log.map { [$0] } ?? []) {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    /// The first word of the child's arguments.
    package static let word = "--session"

    package var arguments: [String] {
        [Self.word, String(vault), String(channel), log.map { String($0) } ?? "-", isNew ? "new" : "-"]
    }

    /// Takes the hand-over off the front of the child's arguments; nil where they are a person's own.
    package init?(takingFrom arguments: inout [String]) {
        guard arguments.count >= 5, arguments[0] == Self.word, let vault = Int32(arguments[1]),
            let channel = Int32(arguments[2])
        else { return nil }
        self.init(vault: vault, channel: channel, log: Int32(arguments[3]), isNew: arguments[4] == "new")
        arguments.removeFirst(5)
    }
}

/// Exit codes by which the child tells the parent more than a person's exit code.
package enum ChildExit {
    /// Locked on a screen: start a fresh child and ask for a passcode again.
    package static let locked: Int32 = 113
    /// The new vault is whole.
    package static let created: Int32 = 114
}
