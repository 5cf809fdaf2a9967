import Base
import Domain
import XMPP

/// What a stream brought and the sink has not taken, in order.
struct InboundQueue {
    enum Item {
        case event(InboundEvent)
        /// Everything before it has been taken: the server may forget the stanza.
        case mark(InboundMark)
        /// To be sent once everything before it has been taken.
        case reply(Element)
    }

    /// What to do next: give these to the sink, then tell the stream about the mark and send the replies.
    struct Work {
        var events: [InboundEvent] = []
        var mark: InboundMark?
        var replies: [Element] = []
        /// How long after this work the next one may wait for more to come, so that one commit takes it together: a
        /// flood's events are many commits else. A conversation never waits.
        var patience: Duration? { events.count < InboundQueue.flood ? nil : .milliseconds(30) }
    }

    /// Events a call (`LinkSink.receive`).
    static let batch = 256
    /// So many events at once are more than anybody reads along.
    static let flood = 16
    /// Items waiting before the socket is left unread, and again read.
    private static let high = 1024
    private static let low = 256

    private var items: [Item] = []
    private var next = 0

    var isLong: Bool { items.count - next > Self.high }
    var isBatch: Bool { items.count - next >= Self.batch }
    var isShort: Bool { items.count - next < Self.low }

    mutating func append(_ item: Item) { items.append(item) }

    /// Takes the next work off the queue.
    mutating func takeNext() -> Work? {
        guard next < items.count else { return nil }
        defer {
            if next == items.count {
                items.removeAll(keepingCapacity: true)
                next = 0
            } else if next > Self.high {
                items.removeFirst(next)
                next = 0
            }
        }
        var work = Work()
        scan: while next < items.count {
            switch items[next] {
            case .event where work.events.count == Self.batch: break scan
            case .event(let event): work.events.append(event)
            case .mark(let reached): work.mark = reached
            case .reply(let element): work.replies.append(element)
            }
            next += 1
        }
        return work
    }

    mutating func removeAll() {
        items = []
        next = 0
    }
}

extension XMPPLink {
    /// Starts the one task that carries a stream's news to the sink, in order, each after the one before.
    func startPump(_ session: LinkSession) {
        session.tasks.start("inbound") { await self.pump(session) }
    }

    func wakePump(_ session: LinkSession) {
        let pump = session.pump
        session.pump = nil
        pump?.resume()
    }

    func setReading(_ reads: Bool, _ session: LinkSession) {
        session.isReading = reads
        session.socket.assumeIsolated { $0.setReading(reads) }
    }

    private func pump(_ session: LinkSession) async {
        var earliest: ContinuousClock.Instant?
        while true {
            if let moment = earliest, !session.inbound.isBatch, !session.isEnded {
                // Cancelled or not, what came is taken in.
                try? await Task.sleep(until: moment)
            }
            earliest = nil
            if let work = session.inbound.takeNext() {
                earliest = work.patience.map { .now + $0 }
                do throws(Failure) { try await carry(work, session) } catch {
                    // Unacknowledged, the server keeps it for another stream.
                    session.inbound.removeAll()
                    log.warning("nothing is taken in", ["code": error.code])
                    end(session.number, error)
                }
                if session.inbound.isShort, !session.isEnded { setReading(true, session) }
            } else if session.isEnded {
                break
            } else {
                await withCheckedContinuation { session.pump = $0 }
            }
        }
        didFinish(session)
        if session.isOnline { await session.sink.linkDidEnd(session.failure) }
        session.markFinished()
        if self.session === session { self.session = nil }
    }

    private func carry(_ work: InboundQueue.Work, _ session: LinkSession) async throws(Failure) {
        if !work.events.isEmpty { try await session.sink.receive(work.events) }
        if let mark = work.mark { perform(session.stream?.didHandle(through: mark) ?? [], session) }
        for reply in work.replies { send(reply, session) }
    }
}
