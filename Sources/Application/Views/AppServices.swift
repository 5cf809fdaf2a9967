package import Base
package import Domain

/// Where a profile's connection stands, as a person sees it.
package enum ConnectionState: String, Sendable { case offline, connecting, online, waiting }

/// What windows are told, after the fact. Times and texts are the window's to render.
package enum AppEvent: Sensitive, Equatable {
    case screen(ScreenState)
    case connection(ProfileName, ConnectionState, ErrorCode?)
    case delivery(ProfileName, MessageID, Delivery)
    case message(ProfileName, Message)
    case subscription(ProfileName, JID)
    /// Chats, contacts or outbox changed otherwise; read what you show anew.
    case changed
}

/// A profile as a window shows it.
package struct ProfileView: Sendable, Equatable {
    package let settings: ProfileSettings
    package let isActive: Bool
    package init(settings: ProfileSettings, isActive: Bool) {
        self.settings = settings
        self.isActive = isActive
    }
}

/// The active profile's state as a window shows it.
package struct StatusView: Sendable, Equatable {
    package let profile: ProfileName?
    package let connection: ConnectionState
    /// Why it is `waiting` or `offline`, if not by a person's wish.
    package let code: ErrorCode?
    /// nil while not online.
    package let link: LinkSummary?
    package let outbox: Int
    /// What a message sent now without further words would get: nil where it would be refused.
    package let security: Security?
    package init(
        profile: ProfileName?, connection: ConnectionState, code: ErrorCode?, link: LinkSummary?, outbox: Int,
        security: Security?
    ) {
        self.profile = profile
        self.connection = connection
        self.code = code
        self.link = link
        self.outbox = outbox
        self.security = security
    }
}

/// A message as a person wrote it.
package struct MessageDraft: Sensitive, Equatable {
    package let body: MessageBody
    package let to: JID
    package let plain: Bool
    package init(body: MessageBody, to: JID, plain: Bool) {
        self.body = body
        self.to = to
        self.plain = plain
    }
}

/// Everything a window (shell or screen) can do. `AppCoordinator` is its one implementation in the program.
///
/// Commands on messages and contacts act on the active profile and throw `profile.none` where there is none, and
/// `command.notActive` while the space is not open.
package protocol AppServices: Sendable {
    /// A new consumer's events from now on, those of one moment together, at most 64; buffers up to 1,024 such moments,
    /// then drops the oldest and sends `changed`.
    func events() async -> AsyncStream<[AppEvent]>
    func screen() async -> ScreenState

    func createVault(
        passcode: consuming SecretBytes, weak: WeakPasscode, capacity: Int64,
        progress: @Sendable (Int64, Int64) -> Void
    ) async throws(Failure)
    /// Throws `unlock.delayed`, `vault.damaged`, `vault.version` before a passcode is read.
    func readyToUnlock() async throws(Failure)
    /// Throws `unlock.invalid` and the codes of `VaultPort.unlock`. Opens the space, and its last profile if it had one.
    func unlock(passcode: consuming SecretBytes) async throws(Failure)
    /// Closes everything, within 3 seconds. The process that held the keys ends afterwards.
    func lock() async

    func profiles() async throws(Failure) -> [ProfileView]
    /// Adds a profile and opens it where none was active; nothing connects.
    func addProfile(_ settings: ProfileSettings, password: consuming SecretBytes) async throws(Failure) -> ProfileView
    /// Closes the active profile wholly, then opens this one (invariant 8).
    func useProfile(_ name: ProfileName) async throws(Failure) -> ProfileView
    /// Changes settings, and the password where there is another one. What is connected stays so; the next `connect`
    /// uses them. Throws `profile.missing`, `profile.exists` (new name taken); then nothing was changed.
    func changeProfile(
        _ name: ProfileName, _ change: ProfileChange, password: SharedSecret?
    ) async throws(Failure) -> ProfileView
    func removeProfile(_ name: ProfileName) async throws(Failure) -> ErasureReport

    /// Answers when online, or throws why not, within 30 s; keeps trying afterwards where that makes sense.
    func connect() async throws(Failure)
    func disconnect() async throws(Failure)
    func status() async throws(Failure) -> StatusView

    func addContact(_ jid: JID) async throws(Failure)
    func acceptContact(_ jid: JID) async throws(Failure)
    func contacts() async throws(Failure) -> [Contact]

    /// Answers after the local commit, online or not. Without encryption it needs `plain` or a plain profile:
    /// otherwise `encryption.required` and nothing is stored.
    func send(_ body: MessageBody, to: JID, plain: Bool) async throws(Failure) -> MessageID
    /// As `send`, for several in one commit: all are stored or none. At most 256, and 512 KiB of text.
    func send(_ drafts: [MessageDraft]) async throws(Failure) -> [MessageID]
    /// Sends a failed message again, at a person's wish.
    func retry(_ id: MessageID) async throws(Failure)
    func chats() async throws(Failure) -> [ChatSummary]
    func history(of chat: JID, before: MessageID?, limit: Int) async throws(Failure) -> [Message]
    /// Fetches older messages from the server's archive, if there are any; tells whether there may be more.
    func loadOlder(of chat: JID) async throws(Failure) -> Bool
    func search(_ text: String, limit: Int) async throws(Failure) -> [Message]
    func outbox() async throws(Failure) -> [OutboxItem]
    /// The person has the chat before them: unread count goes, a displayed marker may be sent.
    func markSeen(_ chat: JID) async throws(Failure)

    func changePasscode(
        current: consuming SecretBytes, new: consuming SecretBytes, weak: WeakPasscode
    ) async throws(Failure)
    /// Throws `space.notHere` where `armDuress` and `addSpace` would, before a passcode is asked for.
    func requireOuter() async throws(Failure)
    func armDuress(
        current: consuming SecretBytes, new: consuming SecretBytes, weak: WeakPasscode
    ) async throws(Failure)
    func disarmDuress() async throws(Failure)
    func addSpace(passcode: consuming SecretBytes, weak: WeakPasscode) async throws(Failure)
    func growVault(_ change: CapacityChange, progress: @Sendable (Int64, Int64) -> Void) async throws(Failure)
}
