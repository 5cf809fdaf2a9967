package import Base
import Domain

/// What a person started the program for.
package struct Invocation: Sendable, Equatable {
    /// What to do.
    package enum Action: Sendable, Equatable {
        /// The full-screen session, or the guide where there is no vault.
        case session
        case initialize(capacity: Int64, allowsWeak: Bool)
        case shell(json: Bool)
        case doctor(json: Bool)
        case demo
        case help(String?)
        case version
    }

    /// Bytes for both regions unless `--capacity` says otherwise.
    package static let defaultCapacity: Int64 = 256 << 20
    /// Minutes without input until a session on a terminal locks, unless `--idle` says otherwise.
    package static let usualIdleMinutes = 5

    package var action: Action
    package var vault: String?
    package var log: String?
    package var passcodeDescriptor: Int32?
    /// Minutes without input after which an open space is locked; 0 is never, nil is as usual.
    package var idleMinutes: Int?

    /// Whether arguments, right or wrong, ask for a session in JSON lines.
    package static func speaksJSON(_ arguments: [String]) -> Bool {
        arguments.contains("shell") && arguments.contains("--json")
    }

    /// - Parameter arguments: without the program's name.
    /// Throws `command.unknown`, `command.usage`, `vault.capacity`.
    package init(_ arguments: [String]) throws(Failure) {
        if arguments == ["--version"] {
            action = .version
            return
        }
        if arguments == ["--help"] || arguments == ["-h"] {
            action = .help(nil)
            return
        }
        let valued: Set<String> = ["--vault", "--log", "--passcode-fd", "--capacity", "--idle"]
        let words = try Words(arguments, valued: valued, plain: ["--json", "--allow-weak"])
        let command = try words.positional(atLeast: 0)
        switch command.first {
        case nil: action = .session
        case "init":
            var capacity = Self.defaultCapacity
            if let text = words.value("--capacity") {
                guard let bytes = byteSize(text) else { throw Failure(.commandUsage) }
                guard VaultCapacity.range.contains(bytes) else {
                    throw Failure(.vaultCapacity, detail: .capacity(VaultCapacity.range))
                }
                capacity = bytes
            }
            action = .initialize(capacity: capacity, allowsWeak: words.flag("--allow-weak"))
        case "shell": action = .shell(json: words.flag("--json"))
        case "doctor": action = .doctor(json: words.flag("--json"))
        case "demo": action = .demo
        case "help": action = .help(command.count > 1 ? command.dropFirst().joined(separator: " ") : nil)
        case .some: throw Failure(.commandUnknown)
        }
        if command.count > 1, command[0] != "help" { throw Failure(.commandUsage) }
        vault = words.value("--vault")
        log = words.value("--log")
        idleMinutes = try words.number("--idle", in: 0...1440)
        passcodeDescriptor = try words.descriptor("--passcode-fd")
        if vault == "" || log == "" { throw Failure(.commandUsage) }
        if words.flag("--json"), command.first != "shell", command.first != "doctor" { throw Failure(.commandUsage) }
        if idleMinutes != nil, command.first != nil, command.first != "shell" { throw Failure(.commandUsage) }
        if command.first != "init", words.flag("--allow-weak") || words.value("--capacity") != nil {
            throw Failure(.commandUsage)
        }
    }
}

/// What `postern help` prints.
package let programHelp = """
    postern [--vault PATH] [--log FILE] [--idle MINUTES] [COMMAND]

    Without a command: opens the vault and shows the full-screen session.

      init [--capacity SIZE] [--allow-weak]   make a vault
      shell [--json]                          the session in lines, for scripts and screen readers
      doctor [--json]                         what holds on this machine and what does not; opens no vault
      demo                                    a session with a throw-away server, from a checkout of the sources
      help [COMMAND]                          this text, or one command of the session
      --version                               the version

    The passcode is asked for on the terminal, or read from --passcode-fd N. An open session on a terminal locks after
    five minutes without input, or after --idle MINUTES (0: never).

    Commands of the session:

    """
    + commandCatalogue.map { "  \($0.usage)\n      \($0.summary)\n" }.joined()
