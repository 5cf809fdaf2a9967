package import Application
package import Base
package import Domain

/// How values of the product look in JSON (Docs/SHELL.md).
extension JSON {
    /// The answer to line `id` where it failed; 0 before any line.
    package static func failure(_ failure: some CodedError, id: Int) -> JSON {
        .members([
            "id": .number(Int64(id)), "ok": .bool(false),
            "error": .members([
                "code": .string(failure.code.rawValue), "message": .string(failure.text),
                "recovery": .string(failure.code.recovery.rawValue),
                "retryAfterMs": failure.retryAfterMilliseconds.map { .number($0) },
            ]),
        ])
    }

    /// The answer to line `id`.
    package static func success(_ result: JSON, id: Int) -> JSON {
        .members(["id": .number(Int64(id)), "ok": .bool(true), "result": result])
    }

    static func queued(_ id: MessageID) -> JSON {
        .members(["id": .string(id.text), "state": .string(Delivery.queued.text)])
    }

    static func profile(_ profile: ProfileView, withActivity: Bool = false) -> JSON {
        .members([
            "name": .string(profile.settings.name.text), "jid": .string(profile.settings.jid.addressText),
            "kind": .string("xmpp"), "active": withActivity ? .bool(profile.isActive) : nil,
        ])
    }

    static func message(_ message: Message) -> JSON {
        .members([
            "id": .string(message.id.text), "chat": .string(message.chat.addressText),
            "from": .string(message.from.addressText),
            "direction": .string(message.direction.rawValue), "body": message.body.map { .string($0.text) },
            "at": .string(message.at.text), "state": message.delivery.map { .string($0.text) },
            "code": message.delivery?.failureCode.map { .string($0.rawValue) },
            "security": .string(message.security.rawValue),
        ])
    }

    static func chat(_ chat: ChatSummary) -> JSON {
        .members([
            "jid": .string(chat.jid.addressText), "name": chat.name.map { .string($0) },
            "unread": .number(Int64(chat.unread)),
            "last": chat.last.map { .message($0) },
        ])
    }

    static func contact(_ contact: Contact) -> JSON {
        .members([
            "jid": .string(contact.item.jid.addressText), "name": contact.item.name.map { .string($0) },
            "subscription": .string(contact.item.subscription.rawValue),
            "presence": .string(contact.presence.rawValue),
        ])
    }

    static func outboxItem(_ item: OutboxItem, now: Timestamp) -> JSON {
        var next: JSON?
        if case .retryScheduled(let at) = item.state { next = .number(max(0, at.milliseconds - now.milliseconds)) }
        return .members([
            "id": .string(item.id.text), "chat": .string(item.chat.addressText), "state": .string(item.state.text),
            "attempts": .number(Int64(item.attempts)), "nextAttemptMs": next,
        ])
    }

    static func status(_ status: StatusView) -> JSON {
        .members([
            "profile": status.profile.map { .string($0.text) }, "connection": .string(status.connection.rawValue),
            "code": status.code.map { .string($0.rawValue) }, "tls": status.link.map { .string($0.tls) },
            "mechanism": status.link.map { .string($0.mechanism) },
            "binding": status.link?.binding.map { .string($0) }, "resumed": status.link.map { .bool($0.isResumed) },
            "outbox": .number(Int64(status.outbox)), "security": status.security.map { .string($0.rawValue) },
        ])
    }

    static func report(_ report: ErasureReport) -> JSON {
        .members([
            "scope": .string(report.scope),
            "steps": .array(
                report.steps.map {
                    .members(["name": .string($0.name), "state": .string($0.state), "at": .string($0.at.text)])
                }),
            "readBack": .array(report.readBack.map { .string($0) }),
            "notCovered": .array(report.notCovered.map { .string($0) }),
        ])
    }

    /// nil for events that only concern screens.
    package static func event(_ event: AppEvent) -> JSON? {
        switch event {
        case .connection(let profile, let state, let code):
            .members([
                "event": .string("connection"), "profile": .string(profile.text), "state": .string(state.rawValue),
                "code": code.map { .string($0.rawValue) },
            ])
        case .delivery(let profile, let id, let delivery):
            .members([
                "event": .string("delivery"), "profile": .string(profile.text), "id": .string(id.text),
                "state": .string(delivery.text), "code": delivery.failureCode.map { .string($0.rawValue) },
            ])
        case .message(let profile, let message):
            .members([
                "event": .string("message"), "profile": .string(profile.text), "message": .message(message),
            ])
        case .subscription(let profile, let jid):
            .members([
                "event": .string("subscription"), "profile": .string(profile.text), "from": .string(jid.addressText),
            ])
        case .screen, .changed: nil
        }
    }
}

extension Delivery {
    package var text: String {
        switch self {
        case .queued: "queued"
        case .sent: "sent"
        case .delivered: "delivered"
        case .read: "read"
        case .failed: "failed"
        }
    }

    package var failureCode: ErrorCode? {
        if case .failed(let code) = self { code } else { nil }
    }
}

extension OutboxState {
    package var text: String {
        switch self {
        case .preparing: "preparing"
        case .ready: "ready"
        case .submitting: "submitting"
        case .retryScheduled: "retryScheduled"
        case .blockedByIdentityChange: "blockedByIdentityChange"
        }
    }
}
