import Base

/// Counts what went and came on a stream (XEP-0198, sections 4 and 5). Counters are modulo 2^32 on the wire.
///
/// Outbound: what was sent and not yet acknowledged is kept, to be acknowledged or sent again. Inbound: the count that
/// is told to the server grows only with `didHandle`, so it never covers what is not yet durable (invariant 11).
struct StreamManagement: Sendable {
    /// A stanza that the server has not acknowledged.
    struct Unacknowledged: Sendable, Equatable {
        let tag: StanzaTag?
        let bytes: [UInt8]
    }

    /// More unacknowledged stanzas than this are not sent; the owner waits.
    static let queueLimit = 4096

    /// Distinguishes marks of this stream from those of the one that it resumes.
    let stream: UInt32
    /// Stanzas that the server acknowledged.
    private(set) var acknowledged: UInt32
    private(set) var queue: [Unacknowledged]
    /// Stanzas that came, of those that the owner has handled, and of those that were reported to the server.
    private var received: UInt64
    private var handled: UInt64
    private var reported: UInt64
    /// Whether our `<r/>` waits for its answer; whether more was sent since.
    private var isAsking = false
    private var asked: UInt64 = 0
    private var isAskedFor = false

    /// A stream that begins, or one that goes on where `session` ended.
    init(resuming session: ResumableSession? = nil) {
        stream = session.map { $0.stream &+ 1 } ?? 0
        acknowledged = session?.acknowledged ?? 0
        queue = session?.queue ?? []
        received = session?.handled ?? 0
        handled = received
        reported = received
    }

    /// The state for a later resumption.
    func session(_ id: String, address: JID) -> ResumableSession {
        ResumableSession(
            id: id, address: address, stream: stream, acknowledged: acknowledged, queue: queue, handled: handled)
    }

    var canSend: Bool { queue.count < Self.queueLimit }

    /// The count for `<a/>` and `<resume/>`.
    var inboundCount: UInt32 { UInt32(truncatingIfNeeded: handled) }

    // MARK: Outbound

    /// Returns whether to ask for an acknowledgement now: one request is out at a time.
    mutating func didSend(_ bytes: [UInt8], tag: StanzaTag?) -> Bool {
        queue.append(Unacknowledged(tag: tag, bytes: bytes))
        return ask()
    }

    /// Whether a request for acknowledgement is to be sent now.
    mutating func ask() -> Bool {
        guard !isAsking, !queue.isEmpty else { return false }
        isAsking = true
        asked += 1
        return true
    }

    /// The number of our request for acknowledgement that waits for its answer; nil for none.
    var openRequest: UInt64? { isAsking ? asked : nil }

    /// Takes the server's count. Returns the tags it newly covers; throws where it cannot be.
    mutating func didReceiveCount(_ count: UInt32) throws(StreamFailure) -> [StanzaTag] {
        isAsking = false
        // The difference modulo 2^32: a count that went back shows as a huge step forward.
        let step = count &- acknowledged
        guard step <= UInt32(clamping: queue.count) else {
            let wentBack = acknowledged &- count <= UInt32(Self.queueLimit)
            throw StreamFailure(
                .streamInvalid, wentBack ? .acknowledgedBackwards : .acknowledgedTooMany, answer: .undefinedCondition)
        }
        let tags = queue[..<Int(step)].compactMap(\.tag)
        queue.removeFirst(Int(step))
        acknowledged = count
        return tags
    }

    // MARK: Inbound

    mutating func didReceiveStanza() -> InboundMark {
        received += 1
        return InboundMark(stream: stream, number: received)
    }

    /// What `mark` stands for, and all before it, is durable. Returns whether to report the count unasked: the server
    /// had asked when it was lower.
    mutating func didHandle(through mark: InboundMark) -> Bool {
        guard mark.stream == stream, mark.number <= received, mark.number > handled else { return false }
        handled = mark.number
        guard isAskedFor else { return false }
        isAskedFor = handled < received
        return reported < handled
    }

    /// The server asks for our count: it gets what is handled by now, and the rest when that is handled.
    mutating func didReceiveRequest() { isAskedFor = handled < received }

    mutating func didReport() { reported = handled }
}
