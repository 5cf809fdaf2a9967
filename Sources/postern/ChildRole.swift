import Application
import Base
import CommandLine
import CryptoPrimitives
import Domain
import Glibc
import HostPlatform
import Net
import ProfileStore
import Terminal
import TerminalUI
import VaultStore
import XMPPLink

/// What the session child does: it puts the parts together and runs one window over them. Its memory, with every key,
/// ends with it. The process is in its sandbox already.
struct ChildRole {
    let handover: Handover
    let sandbox: Sandbox
    let arguments: [String]

    /// Returns the exit code for the parent (`ChildExit`) or the person.
    func run() async -> Int32 {
        do throws(Failure) {
            handover.claim()
            return try await serve(try Invocation(arguments))
        } catch {
            return fail(error, json: Invocation.speaksJSON(arguments))
        }
    }

    private func serve(_ invocation: Invocation) async throws(Failure) -> Int32 {
        let time = TimeSource.system
        let log = handover.log.map { LogFile.log(to: $0, time: time) } ?? .off
        // The parent's death ends this process as any hang-up does.
        let parent = try ParentChannel(socket: handover.channel, didEnd: { kill(getpid(), SIGHUP) })
        if !sandbox.isWhole {
            log.warning("a sandbox is missing", ["landlock": sandbox.landlock, "seccomp": sandbox.filtersCalls])
        }
        if !SecretArena.isLocked {
            log.warning("keys can be swapped out")
            if invocation.action != .session { _ = tell("postern: keys can be swapped out; see: postern doctor") }
        }
        let network = EpollExecutor()
        var resolution = Resolver.Settings()
        resolution.configuration = { await parent.resolverConfiguration() }
        let resolver = Resolver(executor: network, entropy: .system, settings: resolution)
        let vault = Vault(
            file: VaultFile(descriptor: handover.vault), entropy: .system, time: time, stores: Self.stores)
        let services = AppCoordinator(
            vault: vault,
            parts: SessionParts(
                link: { _ in XMPPLink(executor: network, resolver: resolver, entropy: .system, time: time, log: log) },
                engine: { _ in PlaintextEngine() }, time: time, entropy: .system,
                log: log))
        // A vault that is being made has no header to keep up. Otherwise the beat ends with this function.
        let isMade = if case .initialize = invocation.action { false } else { !handover.isNew }
        async let _ = isMade ? Heartbeat(vault: vault, time: time, entropy: .system, log: log).run() : ()
        switch invocation.action {
        case .initialize(let capacity, let allowsWeak):
            let modes = try lineModes()
            defer { modes?.restore(STDIN_FILENO) }
            let creation = InitCommand(
                services: services, secrets: try secretInput(invocation, asks: true),
                messages: try LineWriter(descriptor: STDERR_FILENO))
            let code = await creation.run(
                capacity: capacity, allowsWeak: allowsWeak, passcodeDescriptor: invocation.passcodeDescriptor)
            return code == 0 ? ChildExit.created : code
        case .shell(let isJSON):
            let modes = isJSON ? nil : try lineModes()
            defer { modes?.restore(STDIN_FILENO) }
            let secrets: any SecretInput = try secretInput(invocation, asks: !isJSON)
            let shell = LineShell(
                services: services, secrets: isJSON ? secrets : TypedTwice(secrets), files: parent,
                input: try input(invocation, hasKeys: modes != nil), output: try output(isJSON: isJSON), time: time,
                passcodeDescriptor: invocation.passcodeDescriptor, isInteractive: modes != nil,
                idleLimit: idleLimit(invocation, isInteractive: modes != nil), lockRequests: parent.lockRequests)
            return isJSON ? await JSONShell(shell).run() : await TextShell(shell).run()
        case .session: return try await showScreen(services, parent, invocation, time)
        case .help, .version, .doctor, .demo:
            throw Failure(.commandUnknown)
        }
    }

    /// The full-screen session; where the vault is new, the choice of its passcode instead.
    private func showScreen(
        _ services: AppCoordinator, _ parent: ParentChannel, _ invocation: Invocation, _ time: TimeSource
    ) async throws(Failure) -> Int32 {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw Failure(.terminalUnfit) }
        guard ColorDepth.canAddress(term: environmentValue("TERM")) else { throw Failure(.terminalUnfit) }
        var options = TerminalUIOptions(lockRequests: parent.lockRequests)
        options.creates = handover.isNew ? Invocation.defaultCapacity : nil
        options.colors = ColorDepth.detect(environmentValue)
        options.glyphs = GlyphSet.detect(environmentValue)
        options.idleLimit = idleLimit(invocation, isInteractive: true)
        options.caution = caution
        let end = try await runTerminalUI(
            services: services, descriptors: nil, files: parent, time: time, options: options)
        switch end {
        case .quit: return handover.isNew ? 1 : 0
        case .locked, .panicked: return ChildExit.locked
        case .created: return ChildExit.created
        case .hungUp: return 1
        case .failed(let failure): throw failure
        }
    }

    /// What does not hold here, in a word or two; `doctor` says more.
    private var caution: String? {
        if !SecretArena.isLocked { return "keys can be swapped out" }
        if sandbox.landlock == 0 { return "no Landlock" }
        return sandbox.filtersCalls ? nil : "no seccomp"
    }

    private func tell(_ text: String) -> Bool { writeLine(Array(text.utf8), to: STDERR_FILENO) }

    /// Profiles' databases are the profile store's to make and open; the vault gives the connection.
    private static var stores: ProfileStores {
        ProfileStores(
            create: { (connection, password) throws(Failure) in
                try createProfileStore(connection: connection, password: password, entropy: .system)
            },
            open: { (connection) throws(Failure) in try openProfileStore(connection: connection, entropy: .system) })
    }

    private func input(_ invocation: Invocation, hasKeys: Bool) throws(Failure) -> LineReader {
        // Where passcodes come from standard input as well, no byte may be read ahead of them.
        try LineReader(
            descriptor: STDIN_FILENO, isShared: invocation.passcodeDescriptor == STDIN_FILENO, hasKeys: hasKeys)
    }

    /// Where answers go. A terminal may not know the letters; a program that reads them does.
    private func output(isJSON: Bool) throws(Failure) -> any LineSink {
        let writer = try LineWriter(descriptor: STDOUT_FILENO)
        guard !isJSON, isatty(STDOUT_FILENO) == 1, GlyphSet.detect(environmentValue) == .ascii else { return writer }
        return PlainLines(writer)
    }

    /// Lets Ctrl-C and Ctrl-Z be read on a terminal; nil where standard input is none.
    private func lineModes() throws(Failure) -> TerminalModes? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        let modes = try TerminalModes(of: STDIN_FILENO)
        try modes.enterLines(STDIN_FILENO)
        return modes
    }

    /// Milliseconds without input until the lock; nil for never. A program that is not a person need not be busy.
    private func idleLimit(_ invocation: Invocation, isInteractive: Bool) -> Int64? {
        let minutes = invocation.idleMinutes ?? (isInteractive ? Invocation.usualIdleMinutes : 0)
        return minutes > 0 ? Int64(minutes) * 60_000 : nil
    }

    private func secretInput(_ invocation: Invocation, asks: Bool) throws(Failure) -> SecretReader {
        let isTerminal = isatty(STDIN_FILENO) == 1
        return try SecretReader(
            terminal: asks && isTerminal ? STDIN_FILENO : nil,
            // A pipe that commands are read from ahead has no secrets to give.
            refused: isTerminal || invocation.passcodeDescriptor == STDIN_FILENO ? nil : STDIN_FILENO
        ) { purpose in
            switch purpose {
            case .passcode: "Passcode: "
            case .newPasscode: "New passcode: "
            case .repeatedPasscode: "Once more: "
            case .otherPasscode: "Passcode of the second space: "
            case .duressPasscode: "Duress passcode: "
            case .password: "Password of the account: "
            }
        }
    }
}
