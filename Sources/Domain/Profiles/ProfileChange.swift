/// What a person wants otherwise about an account. Its address is no part of it: what is stored belongs to that.
package struct ProfileChange: Sendable, Equatable {
    /// What becomes of one setting.
    package enum Setting<Value: Sendable & Equatable>: Sendable, Equatable {
        case kept
        case cleared
        case set(Value)

        fileprivate func applied(to value: Value?) -> Value? {
            switch self {
            case .kept: value
            case .cleared: nil
            case .set(let new): new
            }
        }
    }

    package var name: ProfileName?
    package var server = Setting<HostPort>.kept
    /// A port where the server is kept; of the address's own domain where none was named.
    package var port: UInt16?
    package var tls = Setting<TLSMode>.kept
    package var authorities = Setting<[UInt8]>.kept
    package var proxy = Setting<HostPort>.kept
    package var isPlain: Bool?

    package init() {}

    /// Whether it changes nothing.
    package var isEmpty: Bool { self == ProfileChange() }

    /// The settings afterwards.
    package func applied(to settings: ProfileSettings) -> ProfileSettings {
        var settings = settings
        if let name { settings.name = name }
        settings.server = server.applied(to: settings.server)
        if let port { settings.server = HostPort(host: settings.server?.host ?? settings.jid.domain, port: port) }
        settings.tls = tls.applied(to: settings.tls)
        settings.authorities = authorities.applied(to: settings.authorities)
        settings.proxy = proxy.applied(to: settings.proxy)
        if let isPlain { settings.isPlain = isPlain }
        return settings
    }
}
