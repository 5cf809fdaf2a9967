package import Base

/// What a client understands of an extension: the features it advertises, and the requests it answers. What is
/// advertised is what has a handler, because both come from the same list.
package struct Extension: Sendable {
    /// Names for service discovery.
    package let features: [String]
    package let requests: [Request]

    package init(features: [String], requests: [Request] = []) {
        self.features = features
        self.requests = requests
    }

    /// A request that is answered.
    package struct Request: Sendable {
        package let name: String
        package let namespace: String
        package let kind: IQ.Kind
        package let answer: @Sendable (IQ, RequestContext) -> RequestAnswer

        package init(
            _ name: String, _ namespace: String, _ kind: IQ.Kind,
            _ answer: @escaping @Sendable (IQ, RequestContext) -> RequestAnswer
        ) {
            self.name = name
            self.namespace = namespace
            self.kind = kind
            self.answer = answer
        }
    }
}

/// What a handler may know when it answers.
package struct RequestContext: Sendable {
    /// Our own full address.
    package let address: JID
    /// What we advertise.
    package let capabilities: EntityCapabilities
}

/// What becomes of a request.
package enum RequestAnswer: Sensitive, Equatable {
    case result(Element?)
    case refusal(StanzaError)
    /// Something for the owner; an empty result is to be sent when it is taken.
    case push(Push)
}

/// What the server pushes by requests.
package enum Push: Sensitive, Equatable {
    case roster(RosterPush)
}
