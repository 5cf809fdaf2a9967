import Base
import Testing

@testable import Net

@Suite("Happy eyeballs")
struct HappyEyeballsMachineTests {
    private static let six = (1...5).compactMap { IPAddress("2001:db8::\($0)") }
    private static let four = (1...5).compactMap { IPAddress("192.0.2.\($0)") }

    @Test("Families take turns, beginning with that of the best address")
    func order() {
        let (six, four) = (Self.six, Self.four)
        #expect(
            HappyEyeballsMachine([six[0], six[1], four[0], four[1], four[2]]).addresses
                == [six[0], four[0], six[1], four[1], four[2]])
        #expect(HappyEyeballsMachine([four[0], four[0], six[0]]).addresses == [four[0], six[0]])
        #expect(HappyEyeballsMachine(six + four).addresses.count == HappyEyeballsMachine.maximumAttempts)
    }

    @Test("A second attempt begins when the first one hesitates, and the first to connect wins")
    func stagger() {
        var machine = HappyEyeballsMachine([Self.six[0], Self.four[0]])
        #expect(machine.didStart() == [.attempt(0), .armTimer])
        #expect(machine.timerDidFire() == [.attempt(1)])
        #expect(machine.didConnect(1) == [.finish(1)])
        #expect(machine.didConnect(0) == [])
        #expect(machine.didFail(0) == [])
        #expect(machine.timerDidFire() == [])
    }

    @Test("A failure starts the next attempt at once; the last one ends it")
    func failures() {
        var machine = HappyEyeballsMachine([Self.six[0], Self.four[0]])
        #expect(machine.didStart() == [.attempt(0), .armTimer])
        #expect(machine.didFail(0) == [.attempt(1)])
        #expect(machine.timerDidFire() == [])
        #expect(machine.didFail(0) == [])
        #expect(machine.didFail(1) == [.fail])
        #expect(machine.didFail(1) == [])
    }

    @Test("No address at all fails")
    func nothing() {
        var machine = HappyEyeballsMachine([])
        #expect(machine.didStart() == [.fail])
    }
}

@Suite("The order of a service's places (RFC 2782)")
struct ServiceOrderTests {
    private func record(_ priority: UInt16, _ weight: UInt16, _ host: String, direct: Bool = false) -> ServiceRecord {
        ServiceRecord(priority: priority, weight: weight, host: host, port: 5222, directTLS: direct)
    }

    @Test("Lower priority numbers come first, both kinds of records being one set")
    func priorities() {
        let order = ServiceOrder.order(
            [record(20, 0, "c"), record(10, 0, "b", direct: true), record(5, 0, "a")], random: { _ in 0 })
        #expect(order.map(\.host) == ["a", "b", "c"])
        #expect(order.map(\.directTLS) == [false, true, false])
    }

    @Test("Within a priority the running sum of weights picks the next one, weight 0 first")
    func weights() {
        let records = [record(1, 10, "ten"), record(1, 0, "zero"), record(1, 30, "thirty")]
        // Sums: zero 0, ten 10, thirty 40. The number is drawn from 0 through what is left.
        var bounds: [UInt64] = []
        let order = ServiceOrder.order(records) { bound in
            bounds.append(bound)
            return bounds.count == 1 ? 11 : 0
        }
        #expect(order.map(\.host) == ["thirty", "zero", "ten"])
        #expect(bounds == [40, 10, 10])
        #expect(ServiceOrder.order(records, random: { $0 }).map(\.host) == ["thirty", "ten", "zero"])
        #expect(ServiceOrder.order(records, random: { _ in 10 }).first?.host == "ten")
        #expect(ServiceOrder.order(records, random: { _ in 0 }).first?.host == "zero")
    }

    @Test("The same place named twice is tried once")
    func duplicates() {
        let order = ServiceOrder.order([record(1, 0, "a"), record(2, 0, "a")], random: { _ in 0 })
        #expect(order == [Endpoint(host: "a", port: 5222, directTLS: false)])
    }
}

@Suite("SOCKS5 (RFC 1928, RFC 1929)")
struct SOCKS5MachineTests {
    private static let domainRequest: [UInt8] =
        [5, 1, 0, 3, 11] + Array("example.org".utf8) + [0x14, 0x66]
    private static let granted: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]

    private func secret(_ text: String) -> SharedSecret {
        let bytes = Array(text.utf8)
        return SharedSecret(SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) })
    }

    @Test("A name goes to the proxy as a name")
    func name() throws {
        var machine = try SOCKS5Machine(host: "example.org", port: 5222, login: nil)
        #expect(machine.greeting == [5, 1, 0])
        #expect(machine.wanted == 2)
        #expect(machine.didReceive([5, 0]) == [.send(Self.domainRequest)])
        #expect(machine.didReceive(Self.granted.prefix(5).map { $0 }) == [])
        #expect(machine.wanted == 5)
        #expect(machine.didReceive(Self.granted.suffix(5).map { $0 }) == [.finish])
        #expect(machine.wanted == 0)
    }

    @Test(
        "An address literal goes as an address",
        arguments: [
            ("192.0.2.7", [5, 1, 0, 1, 192, 0, 2, 7, 0, 80]),
            ("2001:db8::7", [5, 1, 0, 4, 0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [7, 0, 80]),
        ] as [(String, [UInt8])])
    func literal(host: String, request: [UInt8]) throws {
        var machine = try SOCKS5Machine(host: host, port: 80, login: nil)
        #expect(machine.didReceive([5, 0]) == [.send(request)])
    }

    @Test("A login is given only when asked for")
    func login() throws {
        let credentials = SOCKS5Credentials(user: secret("user"), password: secret("pass"))
        var asked = try SOCKS5Machine(host: "example.org", port: 5222, login: credentials)
        #expect(asked.greeting == [5, 2, 0, 2])
        #expect(asked.didReceive([5, 2]) == [.send([1, 4] + Array("user".utf8) + [4] + Array("pass".utf8))])
        #expect(asked.didReceive([1, 0]) == [.send(Self.domainRequest)])
        var unasked = try SOCKS5Machine(host: "example.org", port: 5222, login: credentials)
        #expect(unasked.didReceive([5, 0]) == [.send(Self.domainRequest)])
    }

    @Test(
        "Replies of every kind of address are read to their end, and no further",
        arguments: [
            ([5, 0, 0, 1], 10), ([5, 0, 0, 4], 22), ([5, 0, 0, 3, 4], 11), ([5, 0, 0, 3, 255], 262),
        ] as [([UInt8], Int)])
    func replies(start: [UInt8], length: Int) throws {
        var machine = try SOCKS5Machine(host: "example.org", port: 5222, login: nil)
        _ = machine.didReceive([5, 0])
        var rest = start + [UInt8](repeating: 0, count: length - start.count)
        while !rest.isEmpty {
            let step = machine.wanted
            try #require(step > 0 && step <= rest.count)
            let isLast = step == rest.count
            #expect(machine.didReceive(Array(rest.prefix(step))) == (isLast ? [.finish] : []))
            rest.removeFirst(step)
        }
    }

    @Test(
        "A proxy that refuses, or speaks something else, is told apart",
        arguments: [
            ([[5, 0xff]], .netProxy), ([[4, 0]], .netProxy), ([[5, 2]], .netProxy), ([[5, 1]], .netProxy),
            ([[5, 0], [5, 1, 0, 1, 0]], .netProxy), ([[5, 0], [5, 2, 0, 1, 0]], .netProxy),
            ([[5, 0], [5, 3, 0, 1, 0]], .netUnreachable), ([[5, 0], [5, 4, 0, 1, 0]], .netUnreachable),
            ([[5, 0], [5, 5, 0, 1, 0]], .netUnreachable), ([[5, 0], [5, 6, 0, 1, 0]], .netTimeout),
            ([[5, 0], [5, 7]], .netProxy), ([[5, 0], [4]], .netProxy), ([[5, 0], [5, 0, 0, 2, 0]], .netProxy),
        ] as [([[UInt8]], ErrorCode)])
    func refusals(received: [[UInt8]], code: ErrorCode) throws {
        var machine = try SOCKS5Machine(host: "example.org", port: 5222, login: nil)
        var last: [SOCKS5Machine.Action] = []
        for bytes in received { last = machine.didReceive(bytes) }
        #expect(last == [.fail(NetError(code))])
        #expect(machine.didReceive([]) == [])
    }

    @Test("Whatever a proxy says, the dialogue ends without reading more than it asked for")
    func noise() throws {
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        func next() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Mostly what the protocol has, so that the later states are reached.
            return [0, 0, 5, 1, 3, 4, UInt8(truncatingIfNeeded: state >> 40)][Int(state >> 33) % 7]
        }
        var finished = 0
        for _ in 0..<20_000 {
            var machine = try SOCKS5Machine(host: "example.org", port: 5222, login: nil)
            var read = 0
            var ends: [SOCKS5Machine.Action] = []
            while machine.wanted > 0, ends.isEmpty {
                let bytes = (0..<machine.wanted).map { _ in next() }
                read += bytes.count
                ends = machine.didReceive(bytes).filter { if case .send = $0 { false } else { true } }
            }
            #expect(ends.count == 1)
            #expect(read <= 2 + 262)
            finished += ends == [.finish] ? 1 : 0
        }
        #expect(finished > 0)
    }

    @Test("A refused login ends it")
    func refusedLogin() throws {
        let credentials = SOCKS5Credentials(user: secret("u"), password: secret("p"))
        var machine = try SOCKS5Machine(host: "example.org", port: 1, login: credentials)
        _ = machine.didReceive([5, 2])
        #expect(machine.didReceive([1, 1]) == [.fail(NetError(.netProxy))])
    }

    @Test("What has no place in the protocol is refused before anything is sent")
    func limits() {
        #expect(throws: NetError(.netProxy)) {
            try SOCKS5Machine(host: String(repeating: "a", count: 256), port: 1, login: nil)
        }
        #expect(throws: NetError(.netProxy)) {
            try SOCKS5Machine(
                host: "a", port: 1,
                login: SOCKS5Credentials(user: secret(""), password: secret("p")))
        }
    }
}

@Suite("IP literals")
struct IPAddressTests {
    @Test(
        "Literals are read as the kernel reads them, everything else is a name",
        arguments: [
            ("192.0.2.1", [192, 0, 2, 1]), ("[::1]", [UInt8](repeating: 0, count: 15) + [1]),
            ("::ffff:192.0.2.1", [UInt8](repeating: 0, count: 10) + [255, 255, 192, 0, 2, 1]),
            ("192.0.2", nil), ("192.0.2.256", nil), ("0x7f.1", nil), ("2130706433", nil), ("fe80::1%lo", nil),
            ("example.org", nil), ("", nil), ("[192.0.2.1", nil),
        ] as [(String, [UInt8]?)])
    func literals(text: String, bytes: [UInt8]?) {
        #expect(IPAddress(text)?.bytes == bytes)
    }
}

@Suite("The send queue")
struct SendQueueTests {
    @Test("Bytes leave in the order they came, however the kernel takes them")
    func order() {
        var queue = SendQueue(limit: 100)
        for byte in UInt8(0)..<50 { queue.append([byte, byte]) }
        var sent: [UInt8] = []
        while !queue.isEmpty {
            var calls = 0
            let (taken, _) = queue.flush { buffer in
                calls += 1
                if calls > 2 { return .wouldBlock }
                let count = min(3, buffer.count)
                sent += buffer[..<count]
                return .done(count)
            }
            #expect(taken > 0)
        }
        #expect(sent == (UInt8(0)..<50).flatMap { [$0, $0] })
    }

    @Test("There is room up to the limit, and for anything in an empty queue")
    func room() {
        var queue = SendQueue(limit: 10)
        #expect(queue.hasRoom(for: 1000))
        queue.append([UInt8](repeating: 0, count: 8))
        #expect(queue.hasRoom(for: 2))
        #expect(!queue.hasRoom(for: 3))
    }

    @Test("A failure of the kernel is handed on with what had been taken")
    func failure() {
        var queue = SendQueue(limit: 10)
        queue.append([1, 2, 3])
        var calls = 0
        let (taken, outcome) = queue.flush { _ in
            calls += 1
            return calls == 1 ? .done(1) : .failed(NetError(.netClosed))
        }
        #expect(taken == 1)
        #expect(outcome == .failed(NetError(.netClosed)))
        #expect(queue.count == 2)
    }
}
