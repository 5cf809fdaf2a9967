import Base
import Domain

/// The commands that begin with `profile`; `words` are those behind the verb.
func parseProfile(_ verb: String, _ words: ArraySlice<String>) throws(Failure) -> Command {
    switch verb {
    case "add": return .profileAdd(try parseDraft(words))
    case "set": return try parseEdit(words)
    case "list":
        guard words.isEmpty else { throw Failure(.commandUsage) }
        return .profileList
    case "use": return .profileUse(try ProfileName(Words(words).positional(1)[0]))
    case "remove":
        let words = try Words(words, plain: ["--yes"])
        return .profileRemove(try ProfileName(words.positional(1)[0]), confirmed: words.flag("--yes"))
    default: throw Failure(.commandUsage)
    }
}

/// What `profile add` and `profile set` have in common.
private let settingOptions: Set<String> = ["--name", "--host", "--port", "--tls", "--ca", "--proxy", "--password-fd"]

private func parseDraft(_ words: ArraySlice<String>) throws(Failure) -> Command.ProfileDraft {
    let words = try Words(words, valued: settingOptions, plain: ["--plain"])
    let jid = try JID(words.positional(1)[0])
    guard jid.isBare, jid.local != nil else { throw Failure(.jidInvalid) }
    let settings = ProfileSettings(name: try ProfileName(words.value("--name") ?? defaultName(of: jid)), jid: jid)
    return Command.ProfileDraft(
        settings: try parseChange(words).applied(to: settings), authorityPath: words.value("--ca"),
        passwordDescriptor: try words.descriptor("--password-fd"))
}

private func parseEdit(_ words: ArraySlice<String>) throws(Failure) -> Command {
    let words = try Words(
        words, valued: settingOptions,
        plain: ["--plain", "--no-plain", "--no-host", "--no-ca", "--no-proxy", "--password"])
    let name = try ProfileName(words.positional(1)[0])
    var edit = Command.ProfileEdit(change: try parseChange(words))
    if let text = words.value("--name") { edit.change.name = try ProfileName(text) }
    edit.authorityPath = words.value("--ca")
    if words.flag("--no-ca") {
        guard edit.authorityPath == nil else { throw Failure(.commandUsage) }
        edit.change.authorities = .cleared
    }
    edit.passwordDescriptor = try words.descriptor("--password-fd")
    edit.hasPassword = words.flag("--password") || edit.passwordDescriptor != nil
    guard !edit.change.isEmpty || edit.hasPassword || edit.authorityPath != nil else { throw Failure(.commandUsage) }
    return .profileSet(name, edit)
}

/// The settings that options name, without the certificates' file, which is opened only when the command runs.
private func parseChange(_ words: Words) throws(Failure) -> ProfileChange {
    var change = ProfileChange()
    let port: UInt16? = try words.number("--port", in: 1...65535)
    if let host = words.value("--host") {
        guard (1...255).contains(host.utf8.count) else { throw Failure(.commandUsage) }
        change.server = .set(HostPort(host: host, port: port))
    } else {
        change.port = port
    }
    if let mode = words.value("--tls") {
        if let tls = TLSMode(rawValue: mode) {
            change.tls = .set(tls)
        } else {
            guard mode == "auto" else { throw Failure(.commandUsage) }
            change.tls = .cleared
        }
    }
    if let proxy = words.value("--proxy") { change.proxy = .set(try parseProxy(proxy)) }
    if words.flag("--plain") { change.isPlain = true }
    for (flag, isOther) in [
        ("--no-host", change.server != .kept || port != nil), ("--no-proxy", change.proxy != .kept),
        ("--no-plain", change.isPlain != nil),
    ] where words.flag(flag) {
        guard !isOther else { throw Failure(.commandUsage) }
        switch flag {
        case "--no-host": change.server = .cleared
        case "--no-proxy": change.proxy = .cleared
        default: change.isPlain = false
        }
    }
    return change
}

private func defaultName(of jid: JID) -> String {
    jid.addressText.utf8.count <= 64 ? jid.addressText : jid.domain
}

/// `socks5://HOST:PORT`, IPv6 literals in brackets.
private func parseProxy(_ text: String) throws(Failure) -> HostPort {
    let scheme = "socks5://"
    guard text.hasPrefix(scheme), let proxy = HostPort(text: String(text.dropFirst(scheme.count))), proxy.port != nil
    else { throw Failure(.commandUsage) }
    return proxy
}

extension HostPort {
    /// `HOST` or `HOST:PORT`, IPv6 literals in brackets; nil for anything else.
    package init?(text: String) {
        var host = text[...]
        var port: UInt16?
        if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
            guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else { return nil }
            port = number
            host = text[..<colon]
        }
        let isLiteral = host.hasPrefix("[") && host.hasSuffix("]")
        if isLiteral { host = host.dropFirst().dropLast() }
        let isOdd = host.contains { $0 == "@" || $0 == "/" || $0 == "[" || $0 == "]" || $0.isWhitespace }
        guard (1...255).contains(host.utf8.count), !isOdd, isLiteral || !host.contains(":") else { return nil }
        self.init(host: String(host), port: port)
    }

    /// As `init(text:)` reads it.
    package var text: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port.map { "\(host):\($0)" } ?? host
    }
}
