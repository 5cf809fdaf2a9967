package import Base
package import Domain

/// A command of the shell and, after `/`, of the full-screen session, as a person typed it.
package enum Command: Sendable, Equatable {
    case profileAdd(ProfileDraft)
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

    /// What `profile add` names. The authority file is opened only when the command runs.
    package struct ProfileDraft: Sendable, Equatable {
        package var settings: ProfileSettings
        package var authorityPath: String?
        package var passwordDescriptor: Int32?
    }
}
