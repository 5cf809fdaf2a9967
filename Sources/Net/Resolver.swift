package import Base

/// Finds the places of a service, and the addresses of a host, through DNS (c-ares), on the executor's own thread.
package actor Resolver {
    /// Times in milliseconds.
    package struct Settings: Sendable {
        /// `address` or `address:port` of the server to ask; nil for the system's.
        package var nameserver: String?
        /// Gives a descriptor of what stands in `/etc/resolv.conf` now, to be closed by the resolver, for a process
        /// that cannot open the file itself; nil for one that can.
        package var configuration: (@Sendable () async -> Int32?)?
        /// How long a server may think about one query.
        package var queryMilliseconds: Int64 = 2_000
        /// How often it is asked.
        package var tries = 2
        /// One look-up with everything it takes.
        package var lookupMilliseconds: Int64 = 10_000
        package init() {}
    }

    /// More places of a service than that are not tried.
    package static let maximumEndpoints = 16

    private let executor: EpollExecutor
    private let entropy: Entropy
    private let settings: Settings

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package init(executor: EpollExecutor, entropy: Entropy, settings: Settings = Settings()) {
        self.executor = executor
        self.entropy = entropy
        self.settings = settings
    }

    /// The places of a domain's client service in the order to try them (RFC 6120 section 3.2, XEP-0368). Without SRV
    /// records, or an answer, it is the domain itself. An IP literal and `localhost` are not looked up.
    /// - Throws: `net.resolve` for what is no domain; `net.unreachable` when the domain says that it has no such
    ///   service (target "."); what interrupts.
    func endpoints(
        of domain: String, _ security: ServiceSecurity, _ interruption: Interruption
    ) async throws(NetError) -> [Endpoint] {
        if IPAddress(domain) != nil { return Self.fallback(domain, security) }
        guard let name = HostName.ascii(domain) else { throw NetError(.netResolve) }
        if Self.isLocal(name) { return Self.fallback(name, security) }
        let kinds = [false, true].filter { security == .any || $0 == (security == .directTLSOnly) }
        let names = kinds.map { ($0 ? "_xmpps-client._tcp." : "_xmpp-client._tcp.") + name }
        let answers = try await look(interruption) { channel in await channel.services(names) }
        return try Self.endpoints(name, security, zip(kinds, answers).map { ($0, $1) }) { bound in
            bound == .max ? bound : self.entropy.number(below: bound + 1)
        }
    }

    /// The addresses of a host, best first.
    /// - Parameter host: A-labels or U-labels, or an IP literal, which is its own answer.
    /// - Throws: `net.resolve`; what interrupts.
    func addresses(of host: String, _ interruption: Interruption) async throws(NetError) -> [IPAddress] {
        if let address = IPAddress(host) { return [address] }
        guard let name = HostName.ascii(host) else { throw NetError(.netResolve) }
        if Self.isLocal(name) { return IPAddress.loopback }
        switch try await look(interruption, { channel in await channel.addresses(name) }) {
        case .success(let addresses): return addresses
        case .failure: throw NetError(.netResolve)
        }
    }

    /// RFC 6761 section 6.3: `localhost` is not a matter for DNS.
    private static func isLocal(_ name: String) -> Bool { name == "localhost" || name.hasSuffix(".localhost") }

    static func fallback(_ host: String, _ security: ServiceSecurity) -> [Endpoint] {
        let isDirect = security == .directTLSOnly
        return [Endpoint(host: host, port: Endpoint.usualPort(directTLS: isDirect), directTLS: isDirect)]
    }

    /// What the answers come to.
    /// - Parameters:
    ///   - answers: whether they are about direct TLS, and what came.
    ///   - random: a number from 0 through the bound.
    static func endpoints(
        _ domain: String, _ security: ServiceSecurity,
        _ answers: [(Bool, Result<[AnsweredService], LookupFailure>)], random: (UInt64) -> UInt64
    ) throws(NetError) -> [Endpoint] {
        var records: [ServiceRecord] = []
        var isRefused = false
        for case (let isDirect, .success(let services)) in answers {
            // Direct TLS that is refused says nothing about STARTTLS, which the fall-back is about.
            if services.contains(where: { $0.target.isEmpty || $0.target == "." }) {
                isRefused = isRefused || !isDirect || security == .directTLSOnly
                continue
            }
            for service in services {
                guard service.port != 0, let host = HostName.ascii(service.target) else { continue }
                records.append(
                    ServiceRecord(
                        priority: service.priority, weight: service.weight, host: host, port: service.port,
                        directTLS: isDirect))
            }
        }
        guard records.isEmpty else {
            return Array(ServiceOrder.order(records, random: random).prefix(maximumEndpoints))
        }
        if isRefused { throw NetError(.netUnreachable) }
        return fallback(domain, security)
    }

    /// Runs one look-up on a channel of its own, within its time.
    private func look<Answer: Sendable>(
        _ interruption: Interruption, _ body: (AresChannel) async -> Answer
    ) async throws(NetError) -> Answer {
        try interruption.check()
        let channel = AresChannel(executor: executor, settings: settings)
        guard await channel.start(configuration: await settings.configuration?()) else {
            await channel.finish()
            throw NetError(.netResolve)
        }
        let timer = executor.schedule(afterMilliseconds: settings.lookupMilliseconds) { [weak channel] in
            channel?.assumeIsolated { $0.cancel() }
        }
        interruption.attach { [weak channel] _ in
            channel?.assumeIsolated { $0.cancel() }
        }
        let answer = await body(channel)
        interruption.detach()
        executor.cancel(timer)
        await channel.finish()
        try interruption.check()
        return answer
    }
}
