import Base
import CommandLine
import Domain
import Terminal

extension SetupState {
    /// - Returns: what to do, and whether the guide is over.
    mutating func update(_ key: KeyPress) -> (effects: [Effect], isOver: Bool) {
        switch (step, key) {
        case (.address, KeyPress(.enter)): enterAddress()
        case (.plain(let jid), .character("y")): choose(jid, isPlain: true)
        case (.plain(let jid), .character("n")): choose(jid, isPlain: false)
        case (.failed, _): return (correct(key), false)
        case (.server, KeyPress(.enter)): enterServer()
        case (.tls(let server), .character("a")): return (change(server, .cleared), false)
        case (.tls(let server), .character("s")): return (change(server, .set(.startTLS)), false)
        case (.tls(let server), .character("d")): return (change(server, .set(.direct)), false)
        case (.firstChat, KeyPress(.enter)): return enterFirstChat()
        case (.address, _), (.server, _), (.firstChat, _): entry.edit(key)
        case (.plain, _), (.password, _), (.adding, _), (.connecting, _), (.tls, _), (.changing, _): break
        }
        return ([], false)
    }

    mutating func update(_ secret: Secret) -> [Effect] {
        isRefused = false
        guard case .password(let settings) = step, !secret.isEmpty else { return [] }
        failure = nil
        next = settings
        guard let account else {
            step = .adding
            return [.addAccount(settings, secret)]
        }
        step = .changing
        guard account.jid == settings.jid else { return [.replaceAccount(account.name, settings, secret)] }
        return [.changeAccount(account.name, ProfileChange(), secret)]
    }

    /// Esc: one step back, where there is one. False where the guide is to be put away.
    mutating func goBack() -> Bool {
        isRefused = false
        isServerWrong = false
        failure = nil
        switch step {
        case .password, .server, .tls, .plain:
            if account != nil {
                step = .failed
            } else if case .password(let settings) = step {
                enter(settings.jid.addressText)
                step = .address
            } else {
                return false
            }
        case .address:
            guard account != nil else { return false }
            step = .failed
        case .adding, .connecting, .failed, .changing, .firstChat: return false
        }
        return true
    }

    // MARK: What came of it

    mutating func added(_ failure: Failure?) -> [Effect] {
        self.failure = failure
        guard failure == nil else {
            // The one before is gone where it was to be replaced.
            account = nil
            enter(next?.jid.addressText ?? "")
            step = .address
            return []
        }
        account = next
        step = .connecting
        return [.connect]
    }

    mutating func changed(_ failure: Failure?) -> [Effect] {
        reason = failure
        guard failure == nil else {
            step = .failed
            return []
        }
        account = next
        step = .connecting
        return [.connect]
    }

    mutating func connected(_ failure: Failure?) {
        guard step == .connecting else { return }
        reason = failure
        if failure == nil { cameOnline() } else { step = .failed }
    }

    /// Online at last, perhaps by an attempt that nobody waited for.
    mutating func cameOnline() {
        guard step == .connecting || step == .failed else { return }
        enter("")
        step = .firstChat
    }

    // MARK: Keys

    private mutating func enter(_ text: String) {
        entry = LineEditor(limit: 3071)
        entry.replace(with: text)
    }

    private mutating func correct(_ key: KeyPress) -> [Effect] {
        guard let account else { return [] }
        switch key {
        case KeyPress(.enter):
            step = .connecting
            return [.connect]
        case .character("p"): step = .password(account)
        case .character("a"):
            enter(account.jid.addressText)
            step = .address
        case .character("s"):
            enter(account.server?.text ?? "")
            step = .server
        default: break
        }
        return []
    }

    private mutating func enterAddress() {
        do throws(Failure) {
            let jid = try JID(entry.text.trimmed)
            guard jid.isBare, jid.local != nil else { throw Failure(.jidInvalid) }
            failure = nil
            guard var settings = account else { return step = .plain(jid) }
            if settings.jid != jid, let name = SetupState.name(for: jid) { settings.name = name }
            settings.jid = jid
            step = .password(settings)
        } catch {
            failure = error
        }
    }

    private mutating func choose(_ jid: JID, isPlain: Bool) {
        guard let name = SetupState.name(for: jid) else { return }
        entry = LineEditor(limit: 3071)
        step = .password(ProfileSettings(name: name, jid: jid, isPlain: isPlain))
    }

    /// The local part is what a person calls the account, where it makes a name.
    private static func name(for jid: JID) -> ProfileName? {
        (try? ProfileName(jid.local ?? "")) ?? (try? ProfileName("account"))
    }

    private mutating func enterServer() {
        let text = entry.text.trimmed
        let server = HostPort(text: text)
        isServerWrong = server == nil && !text.isEmpty
        if !isServerWrong { step = .tls(server) }
    }

    private mutating func change(_ server: HostPort?, _ tls: ProfileChange.Setting<TLSMode>) -> [Effect] {
        guard let account else { return [] }
        var change = ProfileChange()
        change.server = server.map { .set($0) } ?? .cleared
        change.tls = tls
        next = change.applied(to: account)
        step = .changing
        return [.changeAccount(account.name, change, nil)]
    }

    private mutating func enterFirstChat() -> ([Effect], Bool) {
        let text = entry.text.trimmed
        if text.isEmpty { return ([], true) }
        do throws(Failure) {
            let jid = try JID(text)
            guard jid.isBare, jid.local != nil else { throw Failure(.jidInvalid) }
            return ([.addContact(jid)], true)
        } catch {
            failure = error
            return ([], false)
        }
    }
}
