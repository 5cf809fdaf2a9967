import Application
package import Base
import Domain

/// What an update wants done. `EffectRunner` does it and answers with an `Answer`.
enum Effect: Sendable, Equatable {
    /// Ask whether a passcode may be tried.
    case checkReady
    case unlock(Secret)
    case create(Secret, WeakPasscode)
    case load(Load)
    /// The page before the oldest message shown.
    case older(JID, before: MessageID)
    case send(String, to: JID, plain: Bool)
    /// Send a failed message again.
    case retry(MessageID)
    case markSeen(JID)
    case use(ProfileName)
    case connect
    case addAccount(ProfileSettings, Secret)
    /// Correct an account, its password too where there is another one.
    case changeAccount(ProfileName, ProfileChange, Secret?)
    /// Take an account away that never was online, and add this one: its address was wrong.
    case replaceAccount(ProfileName, ProfileSettings, Secret)
    case addContact(JID)
    case acceptContact(JID)
    /// A command line, without its slash.
    case command(String)
    case search(String)
    /// What a command asked for; nil gives up.
    case giveSecret(Secret?)
    /// Whether the word that a command asked for was typed; false gives up.
    case giveWord(Bool)
    /// A notice without content.
    case bell
    /// Draw everything again.
    case redraw
    /// Close everything, then end.
    case lock(ScreenEnd)
    /// Nothing is open: just end.
    case end(ScreenEnd)
}

/// What can be read anew. Each is under way at most once; asked for meanwhile, it runs once more afterwards.
enum Load: Sendable, Hashable {
    case profiles, status, chats, contacts
    case history(JID, limit: Int)
}

/// A secret on its way from the keyboard to where it is used; equal to itself only.
struct Secret: Sendable, Equatable {
    let shared: SharedSecret
    static func == (a: Secret, b: Secret) -> Bool { a.shared === b.shared }
    /// Whether both hold the same bytes.
    func matches(_ other: Secret) -> Bool { shared.bytes.equals(other.shared.bytes) }
    var isEmpty: Bool { shared.bytes.count == 0 }
}

/// How a full-screen session ended.
package enum ScreenEnd: Sendable, Equatable {
    /// A person leaves.
    case quit
    /// Locked; the caller may ask for the passcode anew, in a fresh process.
    case locked
    /// As `locked`; the screen and its scrollback were cleared first.
    case panicked
    /// A vault was made; nothing is open.
    case created
    /// The terminal is gone. Everything is closed.
    case hungUp
    /// Nothing can be opened here.
    case failed(Failure)
}
