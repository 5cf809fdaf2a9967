import Base
import Domain
import Net

/// Where and how a profile's stream is opened.
struct LinkPlace: Sendable {
    /// RFC 1928, section 3.
    private static let proxyPort: UInt16 = 1080

    let route: Route
    let proxy: SOCKS5Proxy?
    let policy: TLSPolicy

    /// Throws `tls.authorityFile`.
    init(_ settings: ProfileSettings) throws(Failure) {
        let domain = settings.jid.domain
        if let server = settings.server {
            let isDirect = settings.tls == .direct
            route = .fixed(
                host: server.host, port: server.port ?? Endpoint.usualPort(directTLS: isDirect), directTLS: isDirect)
        } else {
            let security: ServiceSecurity =
                switch settings.tls {
                case nil: .any
                case .startTLS: .startTLSOnly
                case .direct: .directTLSOnly
                }
            route = .service(domain: domain, security: security)
        }
        proxy = settings.proxy.map { SOCKS5Proxy(host: $0.host, port: $0.port ?? Self.proxyPort) }
        do throws(NetError) {
            let trust = if let pem = settings.authorities { try TLSTrust(adding: pem) } else { TLSTrust.system }
            policy = TLSPolicy(serviceDomain: domain, trust: trust)
        } catch { throw Failure(error.code) }
    }
}
