internal import CAres
import Glibc

/// What came of a DNS query that gave no answer.
enum LookupFailure: Error, Equatable {
    /// The name has no such record, or does not exist.
    case noRecord
    /// No usable answer in time, or none at all.
    case failed
}

/// An SRV record as it stands in an answer.
struct AnsweredService: Equatable {
    let priority: UInt16
    let weight: UInt16
    /// Presentation form, empty for the root.
    let target: String
    let port: UInt16
}

/// One c-ares channel for one look-up: its sockets and timers live on the executor. Configuration (`/etc/resolv.conf`,
/// `/etc/hosts`) is read when it begins, so that a change of networks is noticed by the next one.
actor AresChannel {
    /// More records of one answer than that are left out.
    static let maximumRecords = 64

    /// RFC 1035 section 3.2.4.
    private static let internetClass: Int32 = 1
    /// RFC 2782.
    private static let serviceType: Int32 = 33

    private static let isReady = ares_library_init(ARES_LIB_INIT_ALL) == postern_ares_success

    private let executor: EpollExecutor
    private let settings: Resolver.Settings
    /// nil before `start` and after `finish`.
    private var channel: ares_channel?
    private var watches: [Int32: EpollExecutor.Watch] = [:]
    private var timer: EpollExecutor.Timer?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(executor: EpollExecutor, settings: Resolver.Settings) {
        self.executor = executor
        self.settings = settings
    }

    /// Opens the channel; `finish` has to follow. False when c-ares cannot work here.
    /// - Parameter configuration: what to read instead of `/etc/resolv.conf`; closed here.
    func start(configuration: Int32?) -> Bool {
        defer { if let configuration { close(configuration) } }
        guard Self.isReady, channel == nil else { return false }
        var options = ares_options()
        options.flags = postern_ares_nosearch
        options.timeout = Int32(clamping: settings.queryMilliseconds)
        options.tries = Int32(clamping: settings.tries)
        options.sock_state_cb = { context, descriptor, reads, writes in
            guard let context else { return }
            // c-ares calls this from inside our own calls of it, on the executor's thread.
            Unmanaged<AresChannel>.fromOpaque(context).takeUnretainedValue().assumeIsolated {
                $0.socketDidChange(descriptor, reads: reads != 0, writes: writes != 0)
            }
        }
        options.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
        // c-ares copies the path. By this name a process opens what it has open already.
        let path = strdup("/proc/self/fd/\(configuration ?? -1)")
        defer { free(path) }
        options.resolvconf_path = path
        let given = postern_ares_options | (configuration == nil ? 0 : postern_ares_resolvconf)
        guard ares_init_options(&channel, &options, given) == postern_ares_success else { return false }
        guard let nameserver = settings.nameserver else { return true }
        return ares_set_servers_ports_csv(channel, nameserver) == postern_ares_success
    }

    /// Answers whatever is still open with `failed`, and lets go of everything.
    func finish() {
        guard let channel else { return }
        ares_destroy(channel)
        self.channel = nil
        for watch in watches.values { executor.remove(watch) }
        watches = [:]
        if let timer { executor.cancel(timer) }
        timer = nil
    }

    /// Answers whatever is open with `failed`.
    func cancel() {
        if let channel { ares_cancel(channel) }
    }

    /// The SRV records of each name, asked for at once; answers in the order of `names`.
    func services(_ names: [String]) async -> [Result<[AnsweredService], LookupFailure>] {
        await withCheckedContinuation { continuation in
            let replies = Replies(count: names.count) { continuation.resume(returning: $0) }
            for (index, name) in names.enumerated() {
                let slot = Unmanaged.passRetained(Replies.Slot(replies: replies, index: index)).toOpaque()
                ares_query(
                    channel, name, Self.internetClass, Self.serviceType,
                    { context, status, _, answer, count in
                        guard let context else { return }
                        Unmanaged<Replies.Slot>.fromOpaque(context).takeRetainedValue()
                            .fill(AresChannel.services(status, answer, count))
                    }, slot)
            }
            armTimer()
        }
    }

    /// The addresses of a host, best first (RFC 6724), also from the hosts file.
    func addresses(_ host: String) async -> Result<[IPAddress], LookupFailure> {
        await withCheckedContinuation { continuation in
            var hints = ares_addrinfo_hints()
            hints.ai_family = AF_UNSPEC
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            let reply = Unmanaged.passRetained(AddressReply { continuation.resume(returning: $0) }).toOpaque()
            ares_getaddrinfo(
                channel, host, nil, &hints,
                { context, status, _, answer in
                    defer { if let answer { ares_freeaddrinfo(answer) } }
                    guard let context else { return }
                    Unmanaged<AddressReply>.fromOpaque(context).takeRetainedValue()
                        .fill(AresChannel.addresses(status, answer))
                }, reply)
            armTimer()
        }
    }
}

// Sockets and time, as c-ares asks for them.
extension AresChannel {
    private func socketDidChange(_ descriptor: Int32, reads: Bool, writes: Bool) {
        let interest = EpollExecutor.Interest(reads: reads, writes: writes)
        if !reads && !writes {
            watches.removeValue(forKey: descriptor).map(executor.remove)
        } else if let watch = watches[descriptor] {
            executor.modify(watch, interest)
        } else {
            watches[descriptor] = executor.watch(descriptor, interest) { [weak self] readiness in
                self?.assumeIsolated { $0.process(descriptor, readiness) }
            }
        }
    }

    private func process(_ descriptor: Int32, _ readiness: EpollExecutor.Readiness) {
        guard let channel else { return }
        ares_process_fd(
            channel, readiness.readable ? descriptor : ARES_SOCKET_BAD,
            readiness.writable ? descriptor : ARES_SOCKET_BAD)
        armTimer()
    }

    private func armTimer() {
        if let timer { executor.cancel(timer) }
        timer = nil
        var wait = timeval()
        guard let channel, ares_timeout(channel, nil, &wait) != nil else { return }
        let milliseconds = Int64(wait.tv_sec) * 1000 + Int64(wait.tv_usec) / 1000 + 1
        timer = executor.schedule(afterMilliseconds: milliseconds) { [weak self] in
            self?.assumeIsolated { $0.process(ARES_SOCKET_BAD, .init(readable: false, writable: false)) }
        }
    }
}

// Answers out of C.
extension AresChannel {
    /// The answers of several queries, told of once all are there.
    private final class Replies {
        final class Slot {
            private let replies: Replies
            private let index: Int
            init(replies: Replies, index: Int) {
                self.replies = replies
                self.index = index
            }
            func fill(_ answer: Result<[AnsweredService], LookupFailure>) { replies.fill(index, answer) }
        }

        private var answers: [Result<[AnsweredService], LookupFailure>]
        private var missing: Int
        private let completion: ([Result<[AnsweredService], LookupFailure>]) -> Void

        init(count: Int, completion: @escaping ([Result<[AnsweredService], LookupFailure>]) -> Void) {
            answers = Array(repeating: .failure(.failed), count: count)
            missing = count
            self.completion = completion
        }

        private func fill(_ index: Int, _ answer: Result<[AnsweredService], LookupFailure>) {
            answers[index] = answer
            missing -= 1
            if missing == 0 { completion(answers) }
        }
    }

    private final class AddressReply {
        let fill: (Result<[IPAddress], LookupFailure>) -> Void
        init(fill: @escaping (Result<[IPAddress], LookupFailure>) -> Void) { self.fill = fill }
    }

    private static func failure(_ status: Int32) -> LookupFailure {
        status == postern_ares_nodata || status == postern_ares_notfound ? .noRecord : .failed
    }

    private static func services(
        _ status: Int32, _ answer: UnsafeMutablePointer<UInt8>?, _ count: Int32
    ) -> Result<[AnsweredService], LookupFailure> {
        guard status == postern_ares_success, let answer else { return .failure(failure(status)) }
        var list: UnsafeMutablePointer<ares_srv_reply>?
        let parsed = ares_parse_srv_reply(answer, count, &list)
        defer { if let list { ares_free_data(list) } }
        guard parsed == postern_ares_success else { return .failure(failure(parsed)) }
        var found: [AnsweredService] = []
        var record = list
        while let current = record?.pointee, found.count < maximumRecords {
            found.append(
                AnsweredService(
                    priority: current.priority, weight: current.weight,
                    target: current.host.map { String(cString: $0) } ?? "", port: current.port))
            record = current.next
        }
        return .success(found)
    }

    private static func addresses(
        _ status: Int32, _ answer: UnsafeMutablePointer<ares_addrinfo>?
    ) -> Result<[IPAddress], LookupFailure> {
        guard status == postern_ares_success, let answer else { return .failure(failure(status)) }
        var found: [IPAddress] = []
        var node = answer.pointee.nodes
        while let current = node?.pointee, found.count < maximumRecords {
            if let address = IPAddress(current) { found.append(address) }
            node = current.ai_next
        }
        return found.isEmpty ? .failure(.noRecord) : .success(found)
    }
}

extension IPAddress {
    fileprivate init?(_ node: ares_addrinfo_node) {
        guard let address = UnsafeRawPointer(node.ai_addr) else { return nil }
        let size = Int(node.ai_addrlen)
        switch node.ai_family {
        case AF_INET where size >= MemoryLayout<sockaddr_in>.size:
            let part = address.loadUnaligned(as: sockaddr_in.self).sin_addr
            self.init(bytes: withUnsafeBytes(of: part) { Array($0) })
        case AF_INET6 where size >= MemoryLayout<sockaddr_in6>.size:
            let part = address.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self.init(bytes: withUnsafeBytes(of: part) { Array($0) })
        default: return nil
        }
    }
}
