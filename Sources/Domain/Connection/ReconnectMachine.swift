package import Base

/// When to connect, when to wait, when to stop.
///
/// Delays of 1, 2, 4 … 60 s begin anew only after a connection that held for a minute, so that a server which throws
/// out at once is not hammered. Causes that the next attempt would meet again stop it until a person asks.
package struct ReconnectMachine: Sendable {
    /// How long a connection must have held to count as stable.
    package static let stableMilliseconds: Int64 = 60_000

    /// What happened to the connection, or was asked of it.
    package enum Input: Sendable, Equatable {
        case didRequestConnect
        case didRequestDisconnect
        case didConnect(at: Timestamp)
        /// An attempt failed, or the stream ended (nil code: in order, by the server).
        case didFail(ErrorCode?, retryAfterMilliseconds: Int64?, at: Timestamp, jitter: Jitter)
        case didReachTime(Timestamp)
    }

    /// What to do about it, in order.
    package enum Action: Sendable, Equatable {
        case connect
        case disconnect
        /// Give `didReachTime` then.
        case wait(until: Timestamp)
    }

    /// Where it stands.
    package enum Phase: Sendable, Equatable {
        case offline
        case connecting
        case online(since: Timestamp)
        case waiting(until: Timestamp, ErrorCode)
        /// Until a person asks again.
        case stopped(ErrorCode)
    }

    private var phase = Phase.offline
    private var failures = 0

    package init() {}

    package var state: Phase { phase }

    /// The actions that follow; none where the input does not fit, and then nothing changed.
    package mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .didRequestConnect: didRequestConnect()
        case .didRequestDisconnect: didRequestDisconnect()
        case .didConnect(let at): didConnect(at)
        case .didFail(let code, let retryAfter, let at, let jitter): didFail(code, retryAfter, at, jitter)
        case .didReachTime(let now): didReachTime(now)
        }
    }

    private mutating func didRequestConnect() -> [Action] {
        switch phase {
        case .offline, .waiting, .stopped:
            phase = .connecting
            return [.connect]
        case .connecting, .online: return []
        }
    }

    private mutating func didRequestDisconnect() -> [Action] {
        failures = 0
        switch phase {
        case .connecting, .online:
            phase = .offline
            return [.disconnect]
        case .offline, .waiting, .stopped:
            phase = .offline
            return []
        }
    }

    private mutating func didConnect(_ now: Timestamp) -> [Action] {
        switch phase {
        case .connecting:
            phase = .online(since: now)
            return []
        case .offline, .stopped:
            // A person changed their mind while it was under way.
            return [.disconnect]
        case .online, .waiting: return []
        }
    }

    private mutating func didFail(
        _ code: ErrorCode?, _ retryAfter: Int64?, _ now: Timestamp, _ jitter: Jitter
    ) -> [Action] {
        switch phase {
        case .connecting: break
        case .online(let since):
            if now.milliseconds - since.milliseconds >= Self.stableMilliseconds { failures = 0 }
        case .offline, .waiting, .stopped: return []
        }
        let cause = code ?? .netClosed
        guard Self.mayPass(cause) else {
            phase = .stopped(cause)
            return []
        }
        failures += 1
        let delay = max(Backoff.connection.delay(attempt: failures, jitter: jitter), retryAfter ?? 0)
        let until = now.adding(milliseconds: delay)
        phase = .waiting(until: until, cause)
        return [.wait(until: until)]
    }

    private mutating func didReachTime(_ now: Timestamp) -> [Action] {
        guard case .waiting(let until, _) = phase else { return [] }
        guard now >= until else { return [.wait(until: until)] }
        phase = .connecting
        return [.connect]
    }

    /// Whether another attempt may fare better without a person: what may pass by itself, and a stream that one bad
    /// stanza ended. Refused sign-ins, certificates, another session of ours that took over, a full disk do not.
    private static func mayPass(_ code: ErrorCode) -> Bool {
        code.recovery == .retry || code == .streamInvalid || code == .streamTooLarge
    }
}
