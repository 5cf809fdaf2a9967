import Base
import CommandLine
import CryptoPrimitives
import Glibc
import HostPlatform
import Net
import SQLCipherKit
import Terminal
import VaultStore
import XMPP

/// What the process that a person starts does: reads the arguments, holds the vault file, and starts a child for each
/// session. It never sees a secret.
struct ParentRole {
    let arguments: [String]

    /// Returns the program's exit code.
    func run() -> Int32 {
        let invocation: Invocation
        do throws(Failure) { invocation = try Invocation(arguments) } catch {
            return fail(error, json: Invocation.speaksJSON(arguments))
        }
        switch invocation.action {
        case .version: return tell("postern \(posternVersion)")
        case .help(nil): return tell(programHelp)
        case .help(let topic): return help(topic)
        case .shell(json: true):
            writeLine(JSONShell.readyLine(version: posternVersion), to: STDOUT_FILENO)
            return serve(invocation, json: true)
        case .initialize, .session, .shell: return serve(invocation, json: false)
        case .doctor(let isJSON): return examine(invocation, json: isJSON)
        case .demo: return demo()
        }
    }

    private func serve(_ invocation: Invocation, json: Bool) -> Int32 {
        do throws(Failure) {
            guard let path = invocation.vault ?? HeldVault.defaultPath(environment: environmentValue) else {
                throw Failure(.vaultMissing)
            }
            // Before the first child: from here on its end is a signal to read.
            let parent = try SessionParent(drawsScreen: invocation.action == .session)
            switch invocation.action {
            case .initialize: return try create(path, parent, log: invocation.log)
            case .session: return try session(path, parent, log: invocation.log)
            case .shell: return try once(try HeldVault(opening: path), parent, log: invocation.log, json: json)
            case .help, .version, .doctor, .demo: return 0
            }
        } catch {
            return fail(error, json: json)
        }
    }

    private func create(_ path: String, _ parent: borrowing SessionParent, log: String?) throws(Failure) -> Int32 {
        var vault = try newVault(path)
        let log = try open(log: log, beside: vault)
        defer { if let log { close(log) } }
        noteFileSystem(of: vault)
        let end = try parent.runChild(vault: vault, log: log, arguments: arguments, locks: false)
        guard end.code == ChildExit.created else {
            return end.died ? fail(Failure(.sessionEnded), json: false) : end.code
        }
        vault.keep()
        return 0
    }

    /// The log that a person named. After the vault, which it must not be.
    private func open(log path: String?, beside vault: borrowing HeldVault) throws(Failure) -> Int32? {
        if let path { try LogFile.open(path, beside: vault) } else { nil }
    }

    /// Says once a start, where a person reads it, what the file system means for the vault (`doctor` says it too). Nothing
    /// is remembered: that it was said would be a file beside the vault.
    private func noteFileSystem(of vault: borrowing HeldVault) {
        guard let note = VaultFileSystem(descriptor: vault.descriptor).note else { return }
        writeLine(Array("postern: \(note)".utf8), to: STDERR_FILENO)
    }

    /// A new file, or one that an interrupted creation left.
    private func newVault(_ path: String) throws(Failure) -> HeldVault {
        do {
            return try HeldVault(creating: path)
        } catch {
            guard error.code == .vaultExists else { throw error }
            let held = try HeldVault(opening: path)
            guard Vault.isUnused(VaultFile(descriptor: held.descriptor)) else { throw error }
            try held.makePrivate()
            return held
        }
    }

    /// The full-screen session: a fresh child after every lock, and the guide first where there is no vault.
    private func session(_ path: String, _ parent: borrowing SessionParent, log: String?) throws(Failure) -> Int32 {
        let isMissing = access(path, F_OK) != 0 && errno == ENOENT
        if isMissing {
            let code = try create(path, parent, log: log)
            if code != 0 { return code }
        }
        let vault = try HeldVault(opening: path)
        let log = try open(log: log, beside: vault)
        if !isMissing { noteFileSystem(of: vault) }
        while true {
            let end = try parent.runChild(vault: vault, log: log, arguments: arguments)
            if end.died { return fail(Failure(.sessionEnded), json: false) }
            if end.code != ChildExit.locked { return end.code }
        }
    }

    private func once(
        _ vault: consuming HeldVault, _ parent: borrowing SessionParent, log: String?, json: Bool
    ) throws(Failure) -> Int32 {
        let log = try open(log: log, beside: vault)
        if !json { noteFileSystem(of: vault) }
        let end = try parent.runChild(vault: vault, log: log, arguments: arguments)
        if end.died { return fail(Failure(.sessionEnded), json: json) }
        return end.code == ChildExit.locked ? 0 : end.code
    }

    private func help(_ topic: String?) -> Int32 {
        let entries = helpEntries(for: topic)
        guard !entries.isEmpty else { return fail(Failure(.commandUnknown), json: false) }
        for entry in entries { _ = tell("\(entry.usage)\n    \(entry.summary)") }
        return 0
    }

    private func examine(_ invocation: Invocation, json: Bool) -> Int32 {
        let libraries: [(name: String, version: String)] = [
            ("SQLCipher", sqlcipherVersion() ?? "unknown"), ("SQLite", sqliteVersion),
            ("libsodium", LibraryVersions.sodium), ("OpenSSL", LibraryVersions.openSSL), ("libxml2", xmlVersion),
            ("c-ares", aresVersion), ("ICU", icuVersion), ("utf8proc", utf8procVersion),
        ]
        let report = DoctorReport(
            Doctor.examine(
                vault: invocation.vault ?? HeldVault.defaultPath(environment: environmentValue), libraries: libraries,
                environment: environmentValue))
        if json { return writeLine(report.json.line, to: STDOUT_FILENO) ? report.exitCode : 1 }
        for line in report.lines where tell(line) != 0 { return 1 }
        return report.exitCode
    }

    /// The demo's server and contact come with the sources, not with the program: it says how to get there.
    private func demo() -> Int32 {
        _ = tell(
            """
            The demo starts a throw-away server and a contact that answers, on this machine only.
            It comes with the sources; in a checkout of them:

                ./Scripts/run demo
            """)
        return 1
    }

    private func tell(_ text: String) -> Int32 {
        writeLine(Array(text.utf8), to: STDOUT_FILENO) ? 0 : 1
    }
}

/// Says why the program ends, before or beside any command.
/// - Returns: its exit code.
func fail(_ failure: Failure, json: Bool) -> Int32 {
    if json {
        writeLine(JSON.failure(failure, id: 0).line, to: STDOUT_FILENO)
    } else {
        writeLine(Array("postern: \(failure.text)".utf8), to: STDERR_FILENO)
    }
    return failure.code.exitCode
}

func environmentValue(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
