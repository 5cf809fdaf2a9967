/// A moment as people and protocols know it: milliseconds since 1970-01-01 UTC.
package struct Timestamp: Sendable, Hashable, Comparable {
    package let milliseconds: Int64
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }
    package static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }
    package func adding(milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: self.milliseconds + milliseconds) }
}

/// Where the program gets its time from; passed in, so that tests can set it.
package struct TimeSource: Sendable {
    /// Wall clock.
    package let now: @Sendable () -> Timestamp
    /// CLOCK_BOOTTIME in milliseconds: grows in suspend, starts anew at boot.
    package let boottime: @Sendable () -> Int64
    /// The kernel's 16-byte boot id.
    package let bootID: @Sendable () -> [UInt8]
    /// Waits; throws `CancellationError` when cancelled.
    package let sleep: @Sendable (_ milliseconds: Int64) async throws -> Void

    package init(
        now: @escaping @Sendable () -> Timestamp, boottime: @escaping @Sendable () -> Int64,
        bootID: @escaping @Sendable () -> [UInt8], sleep: @escaping @Sendable (Int64) async throws -> Void
    ) {
        self.now = now
        self.boottime = boottime
        self.bootID = bootID
        self.sleep = sleep
    }
}

/// Where random bytes come from; passed in, so that tests can fix them. Safe for keys.
package struct Entropy: Sendable {
    private let source: @Sendable (UnsafeMutableRawBufferPointer) -> Void
    package init(_ source: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) { self.source = source }
    package func fill(_ buffer: UnsafeMutableRawBufferPointer) { source(buffer) }
    package func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            source(UnsafeMutableRawBufferPointer(buffer))
            initialized = count
        }
    }
    package func secret(_ count: Int) -> SecretBytes {
        var secret = SecretBytes(count: count)
        secret.withUnsafeMutableBytes { source($0) }
        return secret
    }
    /// So many characters of Crockford's base 32, in lower case: 5 random bits each.
    package func letters(_ count: Int) -> String {
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        return String(decoding: bytes(count).map { alphabet[Int($0 & 31)] }, as: UTF8.self)
    }
    /// A number below `bound`, evenly.
    package func number(below bound: UInt64) -> UInt64 {
        precondition(bound > 0)
        let limit = UInt64.max - UInt64.max % bound
        while true {
            var value: UInt64 = 0
            withUnsafeMutableBytes(of: &value) { source($0) }
            if value < limit { return value % bound }
        }
    }
}
