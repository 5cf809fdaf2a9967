import Base
import Domain

/// Who is there, as far as the stream has said, or the one that it resumes. Bounded: a flood of resources takes the place
/// of none that is known.
struct PresenceBook {
    static let limit = 10_000
    static let resourcesPerContact = 32

    private var resources: [JID: [JID: Presence]] = [:]
    /// Between two streams nobody is known to be there; a resumed one knows again what was known.
    private var isCurrent = false

    mutating func note(_ jid: JID, _ presence: Presence) {
        let bare = jid.bare
        guard presence != .offline else {
            // From the bare address it speaks for all of them (RFC 6121, section 4.5.2).
            if jid.isBare { resources[bare] = nil } else { resources[bare]?[jid] = nil }
            if resources[bare]?.isEmpty == true { resources[bare] = nil }
            return
        }
        var known = resources[bare] ?? [:]
        let isNew = known[jid] == nil
        guard !isNew || known.count < Self.resourcesPerContact else { return }
        guard !known.isEmpty || resources.count < Self.limit else { return }
        known[jid] = presence
        resources[bare] = known
    }

    mutating func streamDidBegin(isResumed: Bool) {
        if !isResumed { resources = [:] }
        isCurrent = true
    }

    mutating func streamDidEnd() { isCurrent = false }

    /// The most reachable of the contact's devices.
    func presence(of jid: JID) -> Presence {
        guard isCurrent else { return .offline }
        let known = resources[jid.bare].map { Array($0.values) } ?? []
        let byReach: [Presence] = [.chatty, .online, .away, .extendedAway, .busy]
        return byReach.first(where: known.contains) ?? .offline
    }
}
