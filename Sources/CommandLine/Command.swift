package import Base
package import Domain

/// A command of the shell and, after `/`, of the full-screen session, as a person typed it.
package enum Command: Sendable, Equatable {
    case profileAdd(ProfileDraft)
    case profileSet(ProfileName, ProfileEdit)
    case profileList
    case profileUse(ProfileName)
    case profileRemove(ProfileName, confirmed: Bool)
    case connect, disconnect, status
    case contactAdd(JID), contactAccept(JID), contactList
    case send(JID, MessageBody, plain: Bool)
    case retry(MessageID)
    case chats
    case history(JID, limit: Int, before: MessageID?)
    case search(String)
    case outbox
    case passcodeChange(SecretOptions)
    case spaceAdd(SecretOptions, confirmed: Bool)
    case duressOn(SecretOptions, confirmed: Bool)
    case duressOff(confirmed: Bool)
    case vaultGrow(CapacityChange, confirmed: Bool)
    case wait(event: String, conditions: [Condition], seconds: Int)
    case lock, quit
    case help(String?)

    /// Whether it may ask the person for a secret or a word while it runs.
    var mayAsk: Bool {
        switch self {
        case .profileAdd, .profileSet, .profileRemove, .passcodeChange, .spaceAdd, .duressOn,
            .duressOff, .vaultGrow:
            true
        case .profileList, .profileUse, .connect, .disconnect, .status, .contactAdd, .contactAccept, .contactList,
            .send, .retry, .chats, .history, .search, .outbox, .wait, .lock, .quit, .help:
            false
        }
    }

    /// `key=value` of `wait`.
    package struct Condition: Sendable, Equatable {
        package let key: String
        package let value: String
    }

    /// Where new secrets come from, and whether a weak one is taken.
    package struct SecretOptions: Sendable, Equatable {
        package var descriptor: Int32?
        package var allowsWeak = false
    }

    /// What `profile set` names. The authority file is opened only when the command runs.
    package struct ProfileEdit: Sendable, Equatable {
        package var change: ProfileChange
        package var authorityPath: String?
        /// Whether there is another password, from the descriptor or the terminal.
        package var hasPassword = false
        package var passwordDescriptor: Int32?
    }

    /// What `profile add` names. The authority file is opened only when the command runs.
    package struct ProfileDraft: Sendable, Equatable {
        package var settings: ProfileSettings
        package var authorityPath: String?
        package var passwordDescriptor: Int32?
    }
}
