/// Gets from a route to a connected TCP socket: finds endpoints, looks up addresses, connects, talks to the proxy.
actor Connector {
    private let executor: EpollExecutor
    private let resolver: Resolver
    private let attemptMilliseconds: Int64

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter attemptMilliseconds: how long one address may take to connect, and the proxy to answer.
    init(executor: EpollExecutor, resolver: Resolver, attemptMilliseconds: Int64) {
        self.executor = executor
        self.resolver = resolver
        self.attemptMilliseconds = attemptMilliseconds
    }

    /// The endpoints of a route, in order. Behind a proxy nothing is looked up here.
    /// - Throws: `net.resolve`, `net.unreachable`; what interrupts.
    func endpoints(
        _ route: Route, isProxied: Bool, _ interruption: Interruption
    ) async throws(NetError) -> [Endpoint] {
        switch route {
        case .fixed(let host, let port, let directTLS):
            return [Endpoint(host: try Self.ascii(host), port: port, directTLS: directTLS)]
        case .service(let domain, let security) where isProxied:
            return Resolver.fallback(try Self.ascii(domain), security)
        case .service(let domain, let security):
            return try await resolver.endpoints(of: domain, security, interruption)
        }
    }

    /// Connects to one endpoint.
    /// - Throws: `net.resolve`, `net.unreachable`, `net.timeout`, `net.proxy`; what interrupts.
    func connect(
        to endpoint: Endpoint, proxy: SOCKS5Proxy?, _ interruption: Interruption
    ) async throws(NetError) -> SocketHandle {
        guard let proxy else { return try await connect(endpoint.host, endpoint.port, interruption) }
        let machine = try SOCKS5Machine(host: endpoint.host, port: endpoint.port, login: proxy.credentials)
        let socket: SocketHandle
        do throws(NetError) {
            socket = try await connect(proxy.host, proxy.port, interruption)
        } catch {
            // Whatever keeps us from the proxy is about the proxy, unless the whole attempt ended.
            try interruption.check()
            throw NetError(.netProxy)
        }
        let dialogue = SOCKS5Dialogue(
            executor: executor, socket: socket, machine: machine, limitMilliseconds: attemptMilliseconds)
        try await dialogue.run(interruption)
        return socket
    }

    private func connect(
        _ host: String, _ port: UInt16, _ interruption: Interruption
    ) async throws(NetError) -> SocketHandle {
        let addresses = try await resolver.addresses(of: host, interruption)
        let race = ConnectRace(
            executor: executor, addresses: addresses, port: port, attemptMilliseconds: attemptMilliseconds)
        return try await race.run(interruption)
    }

    private static func ascii(_ host: String) throws(NetError) -> String {
        if IPAddress(host) != nil { return host.filter { $0 != "[" && $0 != "]" } }
        guard let name = HostName.ascii(host) else { throw NetError(.netResolve) }
        return name
    }
}
