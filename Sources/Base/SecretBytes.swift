internal import CPlatform

/// Bytes of class S3 or S4 (keys, passcodes): non-copyable, in locked memory, wiped at the end of life.
///
/// It has no description, no `Codable`, no conversion to `String`, and compares in constant time.
// @unchecked: the pointer is owned by this value alone, and a non-copyable value is in one place at a time;
// borrowers on other threads can only read.
package struct SecretBytes: ~Copyable, @unchecked Sendable {
    private let pointer: UnsafeMutableRawPointer
    /// Number of bytes.
    package let count: Int

    /// `count` zero bytes.
    package init(count: Int) {
        self.count = count
        pointer = SecretArena.allocate(count)
        postern_wipe(pointer, count)
    }

    /// A copy of `bytes`; the source is the caller's to wipe.
    package init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count)
        if let base = bytes.baseAddress { pointer.copyMemory(from: base, byteCount: bytes.count) }
    }

    /// `count` bytes written by `fill`; wiped if it throws.
    package init<Failure: Error>(
        count: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        self.init(count: count)
        try fill(UnsafeMutableRawBufferPointer(start: pointer, count: count))
    }

    deinit { SecretArena.free(pointer, count) }

    /// The bytes, for the length of `body` only.
    package borrowing func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: pointer, count: count))
    }

    /// The bytes for writing, for the length of `body` only.
    package mutating func withUnsafeMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeMutableRawBufferPointer(start: pointer, count: count))
    }

    /// A second owner of the same bytes.
    package borrowing func copy() -> SecretBytes {
        SecretBytes(copying: UnsafeRawBufferPointer(start: pointer, count: count))
    }

    /// The bytes of `range`, in a value of their own.
    package borrowing func slice(_ range: Range<Int>) -> SecretBytes {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return SecretBytes(copying: UnsafeRawBufferPointer(start: pointer + range.lowerBound, count: range.count))
    }

    /// Whether both hold the same bytes; time depends on the length alone.
    package borrowing func equals(_ other: borrowing SecretBytes) -> Bool {
        count == other.count && postern_equal(pointer, other.pointer, count)
    }
}

/// A secret that several owners share (an actor's key, a profile's password): wiped when the last one lets go.
package final class SharedSecret: Sendable {
    package let bytes: SecretBytes
    package init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
}
