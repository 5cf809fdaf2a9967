import Terminal

/// The screen's own words, in one place for translation. Errors have theirs in `ErrorCode.text`.
enum Texts {
    static let product: SafeText = "Postern"
    static let tooSmall: SafeText = "Window too small."
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let today = "Today"
    static let yesterday = "Yesterday"

    // Lock screen.
    static let passcode: SafeText = "Passcode"
    static let passcodeHint: SafeText = "Nothing shows while you type. Enter opens."
    static let lockKeys: SafeText = "Ctrl+U start over   Ctrl+C leave"
    static let starting: SafeText = "One moment…"
    static let opening: SafeText = "Opening…"
    static let closing: SafeText = "Locking…"
    static func waitSeconds(_ seconds: Int64) -> String { "Too many attempts. Next one in \(seconds) s." }
    static let secretRefused: SafeText = "That was more than one line, or too long. Nothing was kept."
    static let secretDiffers: SafeText = "The two were not the same. Once more from the start."
    static let leaveKeys: SafeText = "Ctrl+C leave"

    // Making a vault.
    static let createTitle: SafeText = "Choose a passcode"
    static let createAdvice: [SafeText] = [
        "There is no vault here yet. It will be one encrypted file, and this passcode is the only way in: "
            + "nobody can reset it.",
        "Five random words make a good one, for instance from dice. Avoid names, dates and quotations.",
    ]
    static let createFirst: SafeText = "New passcode"
    static let createAgain: SafeText = "The same once more"
    static let createDiffers: SafeText = "The two were not the same. Nothing was made; try again."
    static let createMaking: SafeText = "Filling the vault with random bytes…"
    static let createWeak: SafeText = "Press Enter to choose another, or type  w  to take it all the same."

    // Session.
    static let chats: SafeText = "Chats"
    static let loading: SafeText = "Loading…"
    static let retryHint: SafeText = "Ctrl+R tries again."
    static let noChats: [SafeText] = ["No chats yet.", "Ctrl+O starts one."]
    static let noChat: SafeText = "Choose a chat on the left, or start one with Ctrl+O."
    static let noMessages: SafeText = "No messages yet. Write the first one below."
    static let noProfile: SafeText = "No account"
    static let undecryptable: SafeText = "This message could not be decrypted."
    static let plainMark: SafeText = "unencrypted"
    static let retryFailed: SafeText = "Alt+R sends it again."
    static let older: SafeText = "Loading earlier messages…"
    static let newBelow: SafeText = "New messages below: press End"
    static let composer: SafeText = "Message"
    static let composerPlain: SafeText = "Message, unencrypted"
    static let composerNone: SafeText = "/ for commands"
    static let commandHint: SafeText = "Command: Enter runs it, // at the start sends as text"
    static let helpHint: SafeText = "F1 help"
    static let leaveHint: SafeText = "To leave, type /quit. Ctrl+L locks."
    static let commandOneLine: SafeText = "A command is one line. Start with // to send this as text."
    static let pasteCut: SafeText = "The paste was too long; its end was left out."
    static let notEmptyDone: SafeText = "Done."
    static let switching: SafeText = "Switching accounts…"
    static let notDone = "Not done"
    static let stored = "Stored. It leaves when there is a connection."
    static let waitIsForScripts = "Waiting is for scripts. What happens shows here by itself."
    static let working: SafeText = "Working…"
    static func working(_ percent: Int64?) -> SafeText {
        percent.map { working + SafeText(" \($0) %") } ?? working
    }
    static func outbox(_ count: Int) -> String { "\(count) waiting" }
    static let encrypted: SafeText = "encrypted"
    static let notEncrypted: SafeText = "not encrypted"
    static let encryptionMissing: SafeText = "no encryption"
    static let online: SafeText = "online"
    static let offline: SafeText = "offline"
    static let connectHint: SafeText = "F5 connects   F1 help"
    static let connecting: SafeText = "connecting…"
    static let waiting: SafeText = "waiting to reconnect"
    static func subscription(_ address: String) -> String {
        "\(address) asks to see when you are online. Alt+A allows it."
    }

    // Sending without encryption.
    static let plainTitle: SafeText = "Send unencrypted?"
    static let plainBody: SafeText =
        "Encryption is not available here. The servers between can read what you send."
    static let plainKeys: SafeText = "p  send, in this chat until locked     Esc  keep the draft"

    // What cannot be taken back.
    static let confirm: SafeText = "Please confirm"
    static let confirmKeys: SafeText = "Enter do it, if the word is right   Esc leave everything as it is"

    // Other panes.
    static let switcher: SafeText = "Accounts"
    static let switcherKeys: SafeText = "Up/Down choose   Enter open   Esc close"
    static let newChat: SafeText = "New chat: address"
    static let newChatKeys: SafeText = "name@server   Enter open   Esc close"
    static let search: SafeText = "Search"
    static let searchKeys: SafeText = "Enter search or open   Up/Down choose   Esc close"
    static let searchNone: SafeText = "Nothing found."
    static let outputKeys: SafeText = "Up/Down scroll   Esc close"
    static let help: SafeText = "Help"
    static let secretHint: SafeText = "Nothing shows while you type."
    static let secretKeys: SafeText = "Enter done   Esc give up"

    // Account guide.
    static let setupTitle: SafeText = "Add your account"
    static let setupAdvice: SafeText = "The address of an XMPP account you have, for instance anna@example.org."
    static let setupPassword: SafeText = "Password of this account"
    static let setupPlainTitle: SafeText = "Messages without encryption"
    static let setupPlain: SafeText =
        "Encryption between people is not built in yet. May this account send messages that the servers can read?"
    static let setupPlainKeys: SafeText = "y  yes, and it will always say so     n  no, ask me each time"
    static let setupAdding: SafeText = "Adding the account…"
    static let setupConnecting: SafeText = "Connecting…"
    static let setupChatTitle: SafeText = "Your first chat"
    static let setupChat: SafeText = "Whom would you like to write to? Leave it empty to decide later."
    static let setupKeys: SafeText = "Enter next   Esc later"
    static let setupFailedTitle: SafeText = "Not signed in yet"
    static let setupFailed: SafeText = "The account is kept. Something may need to be corrected:"
    static let setupFailedKeys: SafeText = "Enter try again   Esc later"
    static let setupChoices: [(String, SafeText)] = [
        ("p", "another password"), ("a", "another address"), ("s", "server and port by hand"),
    ]
    static let setupServerTitle: SafeText = "The account's server"
    static let setupServer: SafeText =
        "The server's name, with a port if it is not the usual one: chat.example.org:5222. Leave it empty to let the "
        + "address decide."
    static let setupServerWrong: SafeText = "That is no name of a server."
    static let setupTLS: SafeText = "How does the encrypted connection begin?"
    static let setupTLSKeys: SafeText = "a  whichever works     s  STARTTLS     d  TLS at once"
    static let setupBackKeys: SafeText = "Enter next   Esc back"
    static let setupChanging: SafeText = "Correcting…"

    static let keys: [(String, SafeText)] = [
        ("Enter", "send; Alt+Enter or Ctrl+J starts a new line"),
        ("/", "a command, see below; // sends a message that starts with /"),
        ("Alt+Up, Alt+Down", "the chat before, the next one; also Ctrl+P, Ctrl+N"),
        ("Tab", "the next chat with unread messages"),
        ("PgUp, PgDn, End", "earlier, later, newest messages; also the wheel"),
        ("Ctrl+O", "start a chat"),
        ("Alt+R", "send this chat's failed messages again"),
        ("Alt+A", "let the one who asked last see when you are online"),
        ("Ctrl+F", "search messages"),
        ("F2, Ctrl+T", "switch accounts"),
        ("F5", "go online; /disconnect goes offline"),
        ("F3", "show or hide the list of chats"),
        ("Ctrl+R", "load anew and draw the screen again"),
        ("Ctrl+L, Ctrl+Z", "lock: close everything and forget the keys"),
        ("Ctrl+\\", "panic: clear the screen and its scrollback, and lock"),
        ("/quit", "lock and leave"),
    ]
}
