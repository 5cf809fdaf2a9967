package import Application
package import Base
import Domain

/// What a command came to.
package enum CommandResult: Sendable, Equatable {
    case done(JSON)
    /// The session is to end: `lock` (and ask anew, on a screen) or `quit`.
    case locked
    case quit
}

/// Runs commands against the session, for shell and screen alike.
package struct Interpreter: Sendable {
    private let services: any AppServices
    private let secrets: any SecretInput
    private let files: any FileOpening
    private let events: EventQueue
    private let time: TimeSource
    /// The descriptor of `--passcode-fd` at the start, for commands that name none.
    private let passcodeDescriptor: Int32?
    /// A person who can be asked to confirm; nil for a program, which says `--yes`.
    private let confirmation: (any ConfirmationInput)?

    package init(
        services: any AppServices, secrets: any SecretInput, files: any FileOpening, events: EventQueue,
        time: TimeSource, passcodeDescriptor: Int32?, confirmation: (any ConfirmationInput)?
    ) {
        self.services = services
        self.secrets = secrets
        self.files = files
        self.events = events
        self.time = time
        self.passcodeDescriptor = passcodeDescriptor
        self.confirmation = confirmation
    }

    /// Throws the codes of `AppServices`, `confirm.required`, `input.cancelled`, `wait.timeout`.
    /// - Parameter progress: told about long work: bytes done, and of how many.
    package func run(
        _ command: Command, progress: @escaping @Sendable (Int64, Int64) -> Void = { _, _ in }
    ) async throws(Failure) -> CommandResult {
        switch command {
        case .profileAdd(let draft): return .done(.members(["profile": .profile(try await add(draft))]))
        case .profileSet(let name, let edit):
            let changed = try await change(name, edit)
            return .done(.members(["profile": .profile(changed, withActivity: true)]))
        case .profileList:
            let profiles = try await services.profiles().map { JSON.profile($0, withActivity: true) }
            return .done(.members(["profiles": .array(profiles)]))
        case .profileUse(let name):
            return .done(.members(["profile": .profile(try await services.useProfile(name), withActivity: true)]))
        case .profileRemove(let name, let confirmed):
            if confirmation != nil, try await !services.profiles().contains(where: { $0.settings.name == name }) {
                throw Failure(.profileMissing)
            }
            try await require(confirmed, .destroysProfile)
            return .done(.members(["report": .report(try await services.removeProfile(name))]))
        case .connect:
            try await services.connect()
            return .done(.members(["connection": .string(ConnectionState.online.rawValue)]))
        case .disconnect:
            try await services.disconnect()
            return .done(.members(["connection": .string(ConnectionState.offline.rawValue)]))
        case .status: return .done(.status(try await services.status()))
        case .contactAdd(let jid):
            try await services.addContact(jid)
            return .done(.object([]))
        case .contactAccept(let jid):
            try await services.acceptContact(jid)
            return .done(.object([]))
        case .contactList:
            return .done(.members(["contacts": .array(try await services.contacts().map { .contact($0) })]))
        case .send(let to, let body, let plain):
            let id = try await services.send(body, to: to, plain: plain)
            return .done(.queued(id))
        case .retry(let id):
            try await services.retry(id)
            return .done(.queued(id))
        case .chats: return .done(.members(["chats": .array(try await services.chats().map { .chat($0) })]))
        case .history(let chat, let limit, let before):
            return .done(messages(try await services.history(of: chat, before: before, limit: limit)))
        case .search(let text): return .done(messages(try await services.search(text, limit: 60)))
        case .outbox:
            let now = time.now()
            return .done(
                .members(["items": .array(try await services.outbox().map { .outboxItem($0, now: now) })]))
        case .passcodeChange(let options):
            let descriptor = options.descriptor ?? passcodeDescriptor
            let current = try await secrets.read(.passcode, descriptor: descriptor)
            let new = try await secrets.read(.newPasscode, descriptor: descriptor)
            try await services.changePasscode(current: current, new: new, weak: options.weak)
            return .done(.object([]))
        case .spaceAdd(let options, let confirmed):
            try await require(confirmed, .replacesOtherHalf)
            try await services.requireOuter()
            let passcode = try await secrets.read(.otherPasscode, descriptor: options.descriptor ?? passcodeDescriptor)
            try await services.addSpace(passcode: passcode, weak: options.weak)
            return .done(.object([]))
        case .duressOn(let options, let confirmed):
            try await require(confirmed, .armsDuress)
            try await services.requireOuter()
            let descriptor = options.descriptor ?? passcodeDescriptor
            let current = try await secrets.read(.passcode, descriptor: descriptor)
            let new = try await secrets.read(.duressPasscode, descriptor: descriptor)
            try await services.armDuress(current: current, new: new, weak: options.weak)
            return .done(.object([]))
        case .duressOff(let confirmed):
            try await require(confirmed, .endsDuress)
            try await services.disarmDuress()
            return .done(.object([]))
        case .vaultGrow(let change, let confirmed):
            try await require(confirmed, .growsVault)
            try await services.growVault(change, progress: progress)
            return .done(.object([]))
        case .wait(let event, let conditions, let seconds):
            return .done(
                try await events.next(event, conditions, within: Int64(seconds) * 1000, time: time))
        case .help(let topic): return .done(try help(topic))
        case .lock: return .locked
        case .quit: return .quit
        }
    }

    /// Before anything else is asked or looked at, so that an unconfirmed command says the same in every space.
    private func require(_ confirmed: Bool, _ consequence: FailureDetail.Consequence) async throws(Failure) {
        guard let confirmation else {
            guard confirmed else { throw Failure(.confirmRequired, detail: .consequence(consequence)) }
            return
        }
        if !confirmed || consequence.isAlwaysTyped { try await confirmation.confirm(consequence) }
    }

    private func messages(_ messages: [Message]) -> JSON {
        .members(["messages": .array(messages.map { .message($0) })])
    }

    private func add(_ draft: Command.ProfileDraft) async throws(Failure) -> ProfileView {
        var settings = draft.settings
        // Before a password is typed in vain.
        guard try await !services.profiles().contains(where: { $0.settings.name == settings.name }) else {
            throw Failure(.profileExists)
        }
        if let path = draft.authorityPath {
            settings.authorities = try await files.read(path: path, limit: 256 * 1024)
        }
        return try await services.addProfile(settings, password: try await password(draft.passwordDescriptor))
    }

    private func change(_ name: ProfileName, _ edit: Command.ProfileEdit) async throws(Failure) -> ProfileView {
        var change = edit.change
        let names = try await services.profiles().map(\.settings.name)
        guard names.contains(name) else { throw Failure(.profileMissing) }
        if let new = change.name, new != name, names.contains(new) { throw Failure(.profileExists) }
        if let path = edit.authorityPath {
            change.authorities = .set(try await files.read(path: path, limit: 256 * 1024))
        }
        guard edit.hasPassword else { return try await services.changeProfile(name, change, password: nil) }
        let secret = SharedSecret(try await password(edit.passwordDescriptor))
        return try await services.changeProfile(name, change, password: secret)
    }

    private func password(_ descriptor: Int32?) async throws(Failure) -> SecretBytes {
        let password = try await secrets.read(.password, descriptor: descriptor)
        guard password.count > 0 else { throw Failure(.inputSecretRequired) }
        return password
    }

    private func help(_ topic: String?) throws(Failure) -> JSON {
        let entries = helpEntries(for: topic)
        guard !entries.isEmpty else { throw Failure(.commandUnknown) }
        return .members([
            "commands": .array(
                entries.map {
                    .members([
                        "name": .string($0.name), "usage": .string($0.usage), "summary": .string($0.summary),
                    ])
                })
        ])
    }
}

extension Command.SecretOptions {
    fileprivate var weak: WeakPasscode { allowsWeak ? .allowed : .refused }
}
