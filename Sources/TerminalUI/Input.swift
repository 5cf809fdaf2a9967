import Application
import Base
import Domain
import Terminal

/// What happened, for `Model.update`.
enum Input: Sendable {
    case key(KeyPress)
    case paste(Paste)
    case mouse(MouseEvent)
    case focus(Bool)
    case resized(Size)
    case secret(Secret)
    case secretEnded(SecretEntry.Outcome)
    case terminalGone
    /// About once a second: wall clock, and BOOTTIME in milliseconds.
    case tick(Timestamp, boottime: Int64)
    /// Something outside wants the session locked: a signal, the machine going to sleep.
    case lockWanted
    case app(AppEvent)
    /// A running command needs a secret.
    case secretWanted(SecretQuestion)
    /// A running command needs to be confirmed by its word.
    case wordWanted(FailureDetail.Consequence)
    case answer(Answer)

    /// What a terminal reported.
    init(_ report: TerminalReport) {
        switch report {
        case .input(.key(let key)): self = .key(key)
        case .input(.paste(let paste)): self = .paste(paste)
        case .input(.mouse(let event)): self = .mouse(event)
        case .input(.focus(let hasFocus)): self = .focus(hasFocus)
        case .resized(let size): self = .resized(size)
        case .secret(let secret): self = .secret(Secret(shared: secret))
        case .secretEnded(let outcome): self = .secretEnded(outcome)
        case .ended: self = .terminalGone
        }
    }

    /// Whether a person did it, so that the session is not idle.
    var isActivity: Bool {
        switch self {
        case .key, .paste, .mouse, .secret, .secretEnded: true
        case .focus, .resized, .terminalGone, .tick, .lockWanted, .app, .secretWanted, .wordWanted, .answer: false
        }
    }
}

/// What came of an effect.
enum Answer: Sendable {
    case ready(Failure?)
    case unlocked(Failure?)
    case created(Failure?)
    case progress(done: Int64, of: Int64)
    case profiles(Result<[ProfileView], Failure>)
    case status(Result<StatusView, Failure>)
    case chats(Result<[ChatSummary], Failure>)
    case contacts(Result<[Contact], Failure>)
    case history(JID, Result<[Message], Failure>, limit: Int)
    case older(JID, Result<[Message], Failure>, mayHaveMore: Bool)
    case sent(JID, text: String, Failure?)
    case retried(Failure?)
    case used(Failure?)
    case connected(Failure?)
    case accountAdded(Failure?)
    case accountChanged(Failure?)
    case contactAdded(JID, Failure?)
    case contactAccepted(Failure?)
    case command(CommandAnswer)
    case found(query: String, Result<[Message], Failure>)
    case closed(ScreenEnd)
}

/// What a command came to, ready to be shown.
enum CommandAnswer: Sendable, Equatable {
    case lines(title: String, [String])
    case failed(Failure)
    /// Show the help pane.
    case help
    /// Show this chat.
    case open(JID)
    /// Find this.
    case search(String)
    case ended(ScreenEnd)
}
