package import Application
package import Base
package import Domain

/// A session in memory for tests of windows: one passcode, profiles, chats, and a peer that need not exist.
///
/// It answers as `AppServices` promises, and remembers what was asked of it. Failures can be put in its way.
package actor FakeServices: AppServices {
    /// What a window asked for, in order.
    package enum Call: Sendable, Equatable {
        case create(WeakPasscode), ready, unlock, lock
        case addProfile(String), changeProfile(String, ProfileChange, hasPassword: Bool)
        case useProfile(String), removeProfile(String)
        case connect, disconnect
        case addContact(String), acceptContact(String)
        case send(to: String, text: String, plain: Bool)
        case markSeen(String), loadOlder(String), search(String)
        case changePasscode, requireOuter, armDuress, disarmDuress, addSpace, grow
    }

    package private(set) var calls: [Call] = []
    private let passcode: [UInt8]
    private var state: ScreenState = .locked
    private var listeners: [AsyncStream<[AppEvent]>.Continuation] = []
    private var settings: [ProfileSettings] = []
    private var active: ProfileName?
    private var connection: ConnectionState = .offline
    private var messages: [Message] = []
    private var roster: [Contact] = []
    private var unread: [JID: Int] = [:]
    private var failures: [Failure] = []
    private var isInner = false
    private var clock = Timestamp(milliseconds: 1_764_500_000_000)
    private var nextID = 0
    /// Whether the one contact answers with what it was sent.
    private let echoes: Bool

    package init(passcode: String, echoes: Bool = false) {
        self.passcode = Array(passcode.utf8)
        self.echoes = echoes
    }

    // MARK: what a test sets up

    /// The next call that can fail does, with this.
    /// From now on it answers as the inner space does.
    package func becomeInner() { isInner = true }

    package func failNext(with failure: Failure) { failures.append(failure) }

    package func add(profile: ProfileSettings) {
        settings.append(profile)
        if active == nil { active = profile.name }
    }

    package func add(contact jid: JID, name: String?, presence: Presence = .online) {
        roster.append(
            Contact(item: RosterItem(jid: jid, name: name, subscription: .both, isAsking: false), presence: presence))
    }

    /// A message that is in the store already.
    package func store(_ message: Message) {
        messages.append(message)
        if message.direction == .incoming { unread[message.chat, default: 0] += 1 }
    }

    /// A message that arrives now.
    package func receive(_ text: String, from chat: JID) {
        clock = clock.adding(milliseconds: 60_000)
        guard let body = try? MessageBody(text), let id = makeID(), let active else { return }
        let message = Message(
            id: id, chat: chat, from: chat, direction: .incoming, body: body, at: clock, delivery: nil,
            security: .plaintext)
        store(message)
        tell(.message(active, message))
    }

    package func tell(_ event: AppEvent) {
        for listener in listeners { listener.yield([event]) }
    }

    package func set(now: Timestamp) { clock = now }

    // MARK: AppServices

    package func events() -> AsyncStream<[AppEvent]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [AppEvent].self, bufferingPolicy: .bufferingNewest(1024))
        listeners.append(continuation)
        return stream
    }

    package func screen() -> ScreenState { state }

    package func createVault(
        passcode: consuming SecretBytes, weak: WeakPasscode, capacity: Int64,
        progress: @Sendable (Int64, Int64) -> Void
    ) throws(Failure) {
        calls.append(.create(weak))
        try failIfAsked()
        progress(capacity / 2, capacity)
        progress(capacity, capacity)
    }

    package func readyToUnlock() throws(Failure) {
        calls.append(.ready)
        try failIfAsked()
    }

    package func unlock(passcode: consuming SecretBytes) throws(Failure) {
        calls.append(.unlock)
        try failIfAsked()
        let expected = self.passcode
        guard passcode.withUnsafeBytes({ $0.elementsEqual(expected) }) else { throw Failure(.unlockInvalid) }
        state = .active
        tell(.screen(.active))
    }

    package func lock() {
        calls.append(.lock)
        state = .locked
        tell(.screen(.locked))
    }

    package func profiles() throws(Failure) -> [ProfileView] {
        settings.map { ProfileView(settings: $0, isActive: $0.name == active) }
    }

    package func addProfile(
        _ new: ProfileSettings, password: consuming SecretBytes
    ) throws(Failure) -> ProfileView {
        calls.append(.addProfile(new.jid.addressText))
        try failIfAsked()
        settings.append(new)
        return ProfileView(settings: new, isActive: false)
    }

    package func changeProfile(
        _ name: ProfileName, _ change: ProfileChange, password: SharedSecret?
    ) throws(Failure) -> ProfileView {
        calls.append(.changeProfile(name.text, change, hasPassword: password != nil))
        try failIfAsked()
        guard let place = settings.firstIndex(where: { $0.name == name }) else { throw Failure(.profileMissing) }
        let wasActive = active == name
        settings[place] = change.applied(to: settings[place])
        if wasActive { active = settings[place].name }
        tell(.changed)
        return ProfileView(settings: settings[place], isActive: wasActive)
    }

    package func useProfile(_ name: ProfileName) throws(Failure) -> ProfileView {
        calls.append(.useProfile(name.text))
        try failIfAsked()
        guard let found = settings.first(where: { $0.name == name }) else { throw Failure(.profileMissing) }
        tell(.screen(.switching))
        active = name
        tell(.screen(.active))
        return ProfileView(settings: found, isActive: true)
    }

    package func removeProfile(_ name: ProfileName) throws(Failure) -> ErasureReport {
        calls.append(.removeProfile(name.text))
        try failIfAsked()
        settings.removeAll { $0.name == name }
        return ErasureReport(scope: "profile", steps: [], readBack: [], notCovered: [])
    }

    package func connect() throws(Failure) {
        calls.append(.connect)
        try failIfAsked()
        guard let active else { throw Failure(.profileNone) }
        connection = .online
        tell(.connection(active, .online, nil))
    }

    package func disconnect() throws(Failure) {
        calls.append(.disconnect)
        connection = .offline
        if let active { tell(.connection(active, .offline, nil)) }
    }

    package func status() throws(Failure) -> StatusView {
        let isPlain = settings.first { $0.name == active }?.isPlain ?? false
        return StatusView(
            profile: active, connection: connection, code: nil, link: nil, outbox: 0,
            security: isPlain ? .plaintext : nil)
    }

    package func addContact(_ jid: JID) throws(Failure) {
        calls.append(.addContact(jid.addressText))
        try failIfAsked()
        add(contact: jid, name: nil)
        tell(.changed)
    }

    package func acceptContact(_ jid: JID) throws(Failure) { calls.append(.acceptContact(jid.addressText)) }

    package func contacts() throws(Failure) -> [Contact] { roster }

    package func send(_ body: MessageBody, to: JID, plain: Bool) throws(Failure) -> MessageID {
        calls.append(.send(to: to.addressText, text: body.text, plain: plain))
        try failIfAsked()
        guard let profile = settings.first(where: { $0.name == active }) else { throw Failure(.profileNone) }
        guard plain || profile.isPlain else { throw Failure(.encryptionRequired) }
        clock = clock.adding(milliseconds: 1_000)
        guard let id = makeID() else { throw Failure(.internalFault) }
        messages.append(
            Message(
                id: id, chat: to, from: profile.jid, direction: .outgoing, body: body, at: clock,
                delivery: connection == .online ? .delivered : .queued, security: .plaintext))
        if echoes { receive("You said: " + body.text, from: to) }
        return id
    }

    package func send(_ drafts: [MessageDraft]) throws(Failure) -> [MessageID] {
        let before = messages
        do {
            return try drafts.map { (draft) throws(Failure) in
                try send(draft.body, to: draft.to, plain: draft.plain)
            }
        } catch {
            messages = before
            throw error
        }
    }

    package func retry(_ id: MessageID) throws(Failure) { try failIfAsked() }

    package func chats() throws(Failure) -> [ChatSummary] {
        guard active != nil else { throw Failure(.profileNone) }
        let newest = Dictionary(messages.map { ($0.chat, $0) }) { $0.at < $1.at ? $1 : $0 }
        let listed = newest.values.sorted { $1.at < $0.at }
        return listed.map { message in
            ChatSummary(
                jid: message.chat, name: roster.first { $0.item.jid == message.chat }?.item.name,
                unread: unread[message.chat] ?? 0, last: message)
        }
    }

    package func history(of chat: JID, before: MessageID?, limit: Int) throws(Failure) -> [Message] {
        try failIfAsked()
        let all = messages.filter { $0.chat == chat }.sorted { $0.at < $1.at }
        let end = before.flatMap { id in all.firstIndex { $0.id == id } } ?? all.count
        return Array(all[..<end].suffix(limit))
    }

    package func loadOlder(of chat: JID) throws(Failure) -> Bool {
        calls.append(.loadOlder(chat.addressText))
        return false
    }

    package func search(_ text: String, limit: Int) throws(Failure) -> [Message] {
        calls.append(.search(text))
        try failIfAsked()
        return Array(messages.filter { $0.body?.text.contains(text) ?? false }.prefix(limit))
    }

    package func outbox() throws(Failure) -> [OutboxItem] { [] }

    package func markSeen(_ chat: JID) throws(Failure) {
        calls.append(.markSeen(chat.addressText))
        unread[chat] = nil
    }

    package func changePasscode(
        current: consuming SecretBytes, new: consuming SecretBytes, weak: WeakPasscode
    ) throws(Failure) {
        calls.append(.changePasscode)
        try failIfAsked()
    }

    package func requireOuter() throws(Failure) {
        calls.append(.requireOuter)
        guard !isInner else { throw Failure(.spaceNotHere) }
    }

    package func armDuress(
        current: consuming SecretBytes, new: consuming SecretBytes, weak: WeakPasscode
    ) throws(Failure) {
        calls.append(.armDuress)
        try failIfAsked()
    }

    package func disarmDuress() throws(Failure) {
        calls.append(.disarmDuress)
        try failIfAsked()
    }

    package func addSpace(passcode: consuming SecretBytes, weak: WeakPasscode) throws(Failure) {
        calls.append(.addSpace)
        try failIfAsked()
    }

    package func growVault(
        _ change: CapacityChange, progress: @Sendable (Int64, Int64) -> Void
    ) throws(Failure) {
        calls.append(.grow)
        try failIfAsked()
    }

    private func failIfAsked() throws(Failure) {
        if !failures.isEmpty { throw failures.removeFirst() }
    }

    private func makeID() -> MessageID? {
        nextID += 1
        return MessageID(text: "fake-\(nextID)")
    }
}
