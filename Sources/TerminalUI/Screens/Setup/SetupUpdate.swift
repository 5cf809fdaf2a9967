import Base
import Domain
import Terminal

extension SetupState {
    /// - Returns: what to do, and whether the guide is over.
    mutating func update(_ key: KeyPress) -> (effects: [Effect], isOver: Bool) {
        switch (step, key) {
        case (.address, KeyPress(.enter)): enterAddress()
        case (.plain(let jid), .character("y")): choose(jid, isPlain: true)
        case (.plain(let jid), .character("n")): choose(jid, isPlain: false)
        case (.firstChat, KeyPress(.enter)): return enterFirstChat()
        case (.address, _), (.firstChat, _): entry.edit(key)
        case (.plain, _), (.password, _), (.adding, _), (.connecting, _): break
        }
        return ([], false)
    }

    mutating func update(_ secret: Secret) -> [Effect] {
        isRefused = false
        guard case .password(let settings) = step, !secret.isEmpty else { return [] }
        step = .adding
        return [.addAccount(settings, secret)]
    }

    /// The password was given up: choose another address.
    mutating func goBack() {
        guard case .password(let settings) = step else { return }
        entry.replace(with: settings.jid.addressText)
        step = .address
        isRefused = false
    }

    private mutating func enterAddress() {
        do throws(Failure) {
            let jid = try JID(entry.text.trimmed)
            guard jid.isBare, jid.local != nil else { throw Failure(.jidInvalid) }
            failure = nil
            step = .plain(jid)
        } catch {
            failure = error
        }
    }

    private mutating func choose(_ jid: JID, isPlain: Bool) {
        // The local part is what a person calls the account, where it makes a name.
        let name = (try? ProfileName(jid.local ?? "")) ?? (try? ProfileName("account"))
        guard let name else { return }
        entry = LineEditor(limit: 3071)
        step = .password(ProfileSettings(name: name, jid: jid, isPlain: isPlain))
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
