import Application
import Base
import Domain
import Terminal

/// The open session: lists, the open chat, what is being written, and what lies over them.
struct SessionState: Sendable {
    /// A pane over the chats.
    enum Overlay: Sendable, Equatable {
        case switcher(SwitcherState)
        case search(SearchState)
        case help(scroll: Int)
        case output(OutputState)
        case newChat(LineEditor, Failure?)
        /// A command asks for a secret.
        case prompt(SecretQuestion, isRefused: Bool)
        /// A command says what it will do and asks for a word.
        case confirm(FailureDetail.Consequence, LineEditor)
        /// May this go out unencrypted? The text is back in the composer meanwhile.
        case plain(JID)
        case setup(SetupState)
    }

    /// Words that stand on the status line for a while.
    struct Notice: Sendable, Equatable {
        enum Kind: Sendable, Equatable { case info, warning, error }
        let text: SafeText
        let kind: Kind
        /// BOOTTIME in milliseconds.
        let until: Int64
    }

    var profiles: [ProfileView] = []
    /// The guide to a first account was shown; a person who put it away is not shown it again.
    var hasOfferedSetup = false
    var status: StatusView?
    var list = ChatListState()
    var timeline: TimelineState?
    /// What is being written, by chat; nil stands for no chat.
    var drafts: [JID?: LineEditor] = [:]
    var commandHistory = EntryHistory()
    var overlay: Overlay?
    /// Chats whose messages go out unencrypted until the session ends, because a person said so.
    var plainChats: Set<JID> = []
    var notice: Notice?
    /// Who asked last to see when the person is online, and was not answered.
    var asking: JID?
    /// Why the account cannot be used.
    var trouble: Failure?
    var isListShown = true
    var hasFocus = true
    var isSwitching = false
    /// A command line is being carried out.
    var isWorking = false
    /// Percent of it that is done, where that is known.
    var progress: Int64?

    static let loadAll: [Effect] = [.load(.profiles), .load(.status), .load(.chats), .load(.contacts)]

    var openChat: JID? { timeline?.chat }
    var activeProfile: ProfileName? { profiles.first(where: \.isActive)?.settings.name }

    var composer: LineEditor {
        get { drafts[openChat] ?? LineEditor(limit: MessageBody.limit) }
        set { drafts[openChat] = newValue.isEmpty ? nil : newValue }
    }

    var wantsSecret: Bool {
        switch overlay {
        case .prompt: true
        case .setup(let state): state.wantsSecret
        case .switcher, .search, .help, .output, .newChat, .confirm, .plain, nil: false
        }
    }
}

/// What an update of the session may know of the rest.
struct SessionContext: Sendable {
    let size: Size
    let boottime: Int64
}
