import Application
import Base
import Domain
import XMPP

/// What came in and was not handed over yet, in order. Bounded: beyond `highWater` the link stops reading.
struct InboundPump {
    /// Most events of one batch (`LinkSink.receive`).
    static let batchLimit = 256
    static let highWater = 512
    static let lowWater = 256

    /// A step that the sink takes whole.
    enum Step {
        /// Events, the mark that is durable with them, and what to send then.
        case events([InboundEvent], InboundMark?, [Element])
        case acknowledged([MessageID])
    }

    private enum Item {
        case event(InboundEvent, InboundMark?, Element?)
        /// Stanzas that are handled by now, up to this one.
        case mark(InboundMark)
        case acknowledged([MessageID])
    }

    private var items: [Item] = []
    private var start = 0

    var count: Int { items.count - start }
    var isEmpty: Bool { count == 0 }

    /// - Parameters:
    ///   - mark: nil for what is no stanza of its own (an answer's part).
    ///   - reply: to be sent when the event is durable.
    mutating func add(_ event: InboundEvent, _ mark: InboundMark?, reply: Element? = nil) {
        items.append(.event(event, mark, reply))
    }

    /// Marks that follow each other count as the last of them, so that they need no room.
    mutating func add(_ mark: InboundMark) {
        if case .mark? = items.last, !isEmpty { items.removeLast() }
        items.append(.mark(mark))
    }

    mutating func add(acknowledged ids: [MessageID]) {
        if case .acknowledged(let earlier)? = items.last, !isEmpty {
            items[items.count - 1] = .acknowledged(earlier + ids)
        } else {
            items.append(.acknowledged(ids))
        }
    }

    /// Takes the next step off the front; nil where there is none.
    mutating func next() -> Step? {
        guard start < items.count else { return nil }
        defer {
            if start == items.count {
                items.removeAll(keepingCapacity: true)
                start = 0
            }
        }
        if case .acknowledged(let ids) = items[start] {
            start += 1
            return .acknowledged(ids)
        }
        var events: [InboundEvent] = []
        var last: InboundMark?
        var replies: [Element] = []
        scan: while start < items.count, events.count < Self.batchLimit {
            switch items[start] {
            case .event(let event, let mark, let reply):
                events.append(event)
                last = mark ?? last
                if let reply { replies.append(reply) }
            case .mark(let mark): last = mark
            case .acknowledged: break scan
            }
            start += 1
        }
        return .events(events, last, replies)
    }
}
