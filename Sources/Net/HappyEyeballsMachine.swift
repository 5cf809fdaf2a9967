/// Which addresses of a host are tried when (RFC 8305 sections 4 and 5): families by turns, a new attempt whenever one
/// has failed or 250 ms have gone by without an answer, the first connection wins.
struct HappyEyeballsMachine {
    /// RFC 8305 section 8, "Connection Attempt Delay".
    static let staggerMilliseconds: Int64 = 250
    /// More addresses than that of one host are left out.
    static let maximumAttempts = 8

    enum Action: Equatable {
        /// Begin with the address at that index of `addresses`.
        case attempt(Int)
        case armTimer
        /// Stop all attempts but that one, and the timer.
        case finish(Int)
        /// Nothing is left to try.
        case fail
    }

    /// In the order of attempts.
    let addresses: [IPAddress]
    private var next = 0
    private var running: Set<Int> = []
    private var isOver = false

    /// - Parameter addresses: of one host, best first (RFC 6724).
    init(_ addresses: [IPAddress]) {
        var unique: [IPAddress] = []
        for address in addresses where !unique.contains(address) { unique.append(address) }
        let leads = unique.first?.isIPv6 ?? true
        let first = unique.filter { $0.isIPv6 == leads }
        let second = unique.filter { $0.isIPv6 != leads }
        var mixed: [IPAddress] = []
        for index in 0..<max(first.count, second.count) {
            if index < first.count { mixed.append(first[index]) }
            if index < second.count { mixed.append(second[index]) }
        }
        self.addresses = Array(mixed.prefix(Self.maximumAttempts))
    }

    mutating func didStart() -> [Action] { advance() }

    mutating func timerDidFire() -> [Action] { isOver ? [] : advance() }

    mutating func didFail(_ attempt: Int) -> [Action] {
        guard !isOver, running.remove(attempt) != nil else { return [] }
        return advance()
    }

    mutating func didConnect(_ attempt: Int) -> [Action] {
        guard !isOver, running.contains(attempt) else { return [] }
        isOver = true
        return [.finish(attempt)]
    }

    private mutating func advance() -> [Action] {
        guard next < addresses.count else {
            guard running.isEmpty else { return [] }
            isOver = true
            return [.fail]
        }
        let attempt = next
        next += 1
        running.insert(attempt)
        return next < addresses.count ? [.attempt(attempt), .armTimer] : [.attempt(attempt)]
    }
}
