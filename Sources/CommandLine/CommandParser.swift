package import Base
import Domain

/// Turns words into a `Command`. Throws `command.unknown`, `command.usage`, and the codes of the values named
/// (`jid.invalid`, `message.empty`, `profile.nameInvalid` …). Nothing is opened, read or asked.
package func parseCommand(_ words: [String]) throws(Failure) -> Command {
    guard let first = words.first else { throw Failure(.commandUnknown) }
    let second = words.count > 1 ? words[1] : ""
    switch (first, second) {
    case ("profile", _): return try parseProfile(second, words.dropFirst(2))
    case ("contact", "add"): return .contactAdd(try oneAddress(words.dropFirst(2)))
    case ("contact", "accept"): return .contactAccept(try oneAddress(words.dropFirst(2)))
    case ("contact", "list"): return try bare(.contactList, words.dropFirst(2))
    case ("connect", _): return try bare(.connect, words.dropFirst())
    case ("disconnect", _): return try bare(.disconnect, words.dropFirst())
    case ("status", _): return try bare(.status, words.dropFirst())
    case ("send", _): return try parseSend(words.dropFirst())
    case ("retry", _):
        let word = try Words(words.dropFirst()).positional(1)[0]
        guard let id = MessageID(text: word) else { throw Failure(.messageMissing) }
        return .retry(id)
    case ("chats", _): return try bare(.chats, words.dropFirst())
    case ("history", _): return try parseHistory(words.dropFirst())
    case ("search", _): return .search(try Words(words.dropFirst()).positional(atLeast: 1).joined(separator: " "))
    case ("outbox", _): return try bare(.outbox, words.dropFirst())
    case ("passcode", "change"): return .passcodeChange(try parseSecretOptions(words.dropFirst(2)).0)
    case ("space", "add"):
        let (options, confirmed) = try parseSecretOptions(words.dropFirst(2))
        return .spaceAdd(options, confirmed: confirmed)
    case ("duress", "on"):
        let (options, confirmed) = try parseSecretOptions(words.dropFirst(2))
        return .duressOn(options, confirmed: confirmed)
    case ("duress", "off"):
        let words = try Words(words.dropFirst(2), plain: ["--yes"])
        _ = try words.positional(0)
        return .duressOff(confirmed: words.flag("--yes"))
    case ("vault", "grow"): return try parseGrow(words.dropFirst(2))
    case ("wait", _): return try parseWait(words.dropFirst())
    case ("lock", _): return try bare(.lock, words.dropFirst())
    case ("quit", _): return try bare(.quit, words.dropFirst())
    case ("help", _):
        let topic = words.dropFirst().joined(separator: " ")
        return .help(topic.isEmpty ? nil : topic)
    case ("contact", _), ("passcode", _), ("space", _), ("duress", _), ("vault", _): throw Failure(.commandUsage)
    default: throw Failure(.commandUnknown)
    }
}

private func bare(_ command: Command, _ words: ArraySlice<String>) throws(Failure) -> Command {
    guard words.isEmpty else { throw Failure(.commandUsage) }
    return command
}

private func bareAddress(_ text: String) throws(Failure) -> JID {
    let jid = try JID(text)
    guard jid.isBare else { throw Failure(.jidInvalid) }
    return jid
}

private func oneAddress(_ words: ArraySlice<String>) throws(Failure) -> JID {
    try bareAddress(Words(words).positional(1)[0])
}

private func parseSend(_ words: ArraySlice<String>) throws(Failure) -> Command {
    let words = try Words(words, plain: ["--plain"])
    let parts = try words.positional(atLeast: 1)
    let to = try bareAddress(parts[0])
    return .send(to, try MessageBody(parts.dropFirst().joined(separator: " ")), plain: words.flag("--plain"))
}

private func parseHistory(_ words: ArraySlice<String>) throws(Failure) -> Command {
    let words = try Words(words, valued: ["--limit", "--before"])
    var before: MessageID?
    if let text = words.value("--before") {
        guard let id = MessageID(text: text) else { throw Failure(.messageMissing) }
        before = id
    }
    let limit: Int? = try words.number("--limit", in: 1...1000)
    return .history(try bareAddress(words.positional(1)[0]), limit: limit ?? 60, before: before)
}

private func parseSecretOptions(_ words: ArraySlice<String>) throws(Failure) -> (Command.SecretOptions, Bool) {
    let words = try Words(words, valued: ["--passcode-fd"], plain: ["--yes", "--allow-weak"])
    _ = try words.positional(0)
    let options = Command.SecretOptions(
        descriptor: try words.descriptor("--passcode-fd"), allowsWeak: words.flag("--allow-weak"))
    return (options, words.flag("--yes"))
}

private func parseGrow(_ words: ArraySlice<String>) throws(Failure) -> Command {
    let words = try Words(words, plain: ["--yes"])
    let text = try words.positional(1)[0]
    guard let bytes = byteSize(String(text.drop { $0 == "+" })) else { throw Failure(.commandUsage) }
    return .vaultGrow(text.hasPrefix("+") ? .by(bytes) : .to(bytes), confirmed: words.flag("--yes"))
}

private func parseWait(_ words: ArraySlice<String>) throws(Failure) -> Command {
    let words = try Words(words, valued: ["--timeout"])
    let parts = try words.positional(atLeast: 1)
    var conditions: [Command.Condition] = []
    for part in parts.dropFirst() {
        let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2, !pair[0].isEmpty else { throw Failure(.commandUsage) }
        conditions.append(Command.Condition(key: String(pair[0]), value: String(pair[1])))
    }
    let seconds: Int? = try words.number("--timeout", in: 0...86_400)
    return .wait(event: parts[0], conditions: conditions, seconds: seconds ?? 30)
}
