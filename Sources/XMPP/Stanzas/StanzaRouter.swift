package import Base

/// Tells what a stanza is for: the answer to a request of ours, a request to us, or news.
///
/// An answer counts only if its id and its sender are those of the request: nobody can answer in another's name
/// (RFC 6120, section 8.2.3). Every request to us gets exactly one answer; what has no handler gets
/// `service-unavailable` (section 8.4).
package struct StanzaRouter: Sendable {
    /// A request on its way.
    package struct Token: Sendable, Hashable {
        let id: String
    }

    /// How a request ended.
    package enum Outcome: Sensitive, Equatable {
        case result(Element?)
        case refused(StanzaError)
    }

    /// What to do with a stanza.
    package enum Route: Sensitive, Equatable {
        case message(MessageStanza)
        case presence(PresenceStanza)
        case answer(Token, Outcome)
        /// Send this.
        case reply(IQ)
        /// Take this in, then send the reply.
        case push(Push, reply: IQ)
        /// An answer that nobody waits for.
        case ignored
    }

    private struct Pending {
        let to: JID?
        let deadline: Int64
    }

    /// Requests on their way at most.
    package static let limit = 256

    private let address: JID
    private let context: RequestContext
    private let requests: [Extension.Request]
    private let entropy: Entropy
    private var pending: [String: Pending] = [:]

    /// - Parameters:
    ///   - address: our own full address.
    ///   - capabilities: what we advertise; made of the same `extensions`.
    package init(address: JID, capabilities: EntityCapabilities, extensions: [Extension], entropy: Entropy) {
        self.address = address
        context = RequestContext(address: address, capabilities: capabilities)
        requests = ([ServiceDiscovery.handler] + extensions).flatMap(\.requests)
        self.entropy = entropy
    }

    /// Makes a request with a fresh, unguessable id. Throws `server.busy` where as many are on their way as may.
    ///
    /// - Parameters:
    ///   - to: nil for our own account.
    ///   - deadline: in milliseconds on the clock that `expire` is called with.
    package mutating func request(
        _ kind: IQ.Kind, to: JID?, _ payload: Element, deadline: Int64
    ) throws(Failure) -> (token: Token, stanza: IQ) {
        guard pending.count < Self.limit else { throw Failure(.serverBusy) }
        let id = entropy.bytes(12).map { String($0, radix: 16) }.joined(separator: "-")
        pending[id] = Pending(to: to, deadline: deadline)
        return (Token(id: id), IQ(id: id, to: to, kind: kind, payload))
    }

    /// The route of a stanza that came.
    package mutating func route(_ stanza: Stanza) -> Route {
        switch stanza {
        case .message(let message): .message(message)
        case .presence(let presence): .presence(presence)
        case .iq(let iq):
            switch iq.kind {
            case .get, .set: answer(iq)
            case .result, .error: settle(iq)
            }
        }
    }

    /// Ends requests whose deadline is not after `now`; they get no answer any more.
    package mutating func expire(now: Int64) -> [Token] {
        let late = pending.filter { $0.value.deadline <= now }.map(\.key).sorted()
        for id in late { pending[id] = nil }
        return late.map(Token.init(id:))
    }

    /// Ends all requests, because the stream has.
    package mutating func abandon() -> [Token] {
        defer { pending = [:] }
        return pending.keys.sorted().map(Token.init(id:))
    }

    private mutating func settle(_ iq: IQ) -> Route {
        guard let request = pending[iq.id], isAnswer(from: iq.from, to: request.to) else { return .ignored }
        pending[iq.id] = nil
        let token = Token(id: iq.id)
        if let error = iq.error { return .answer(token, .refused(error)) }
        return .answer(token, .result(iq.payload))
    }

    /// Our own server answers for our account without a sender, or as the account, or as this stream; older ones as
    /// themselves (RFC 6120, section 10.3.3). None of these can be another's.
    private func isAnswer(from sender: JID?, to receiver: JID?) -> Bool {
        let account = address.bare
        if receiver == nil || receiver == account {
            return sender == nil || sender == account || sender == address || sender == address.server
        }
        if receiver == address.server { return sender == nil || sender == receiver }
        return sender == receiver
    }

    private func answer(_ iq: IQ) -> Route {
        let handler = requests.first { request in
            request.kind == iq.kind && iq.payload?.isNamed(request.name, request.namespace) ?? false
        }
        guard let handler else { return .reply(iq.refusal(StanzaError(.cancel, .serviceUnavailable))) }
        switch handler.answer(iq, context) {
        case .result(let payload): return .reply(iq.result(payload))
        case .refusal(let error): return .reply(iq.refusal(error))
        case .push(let push): return .push(push, reply: iq.result())
        }
    }
}
