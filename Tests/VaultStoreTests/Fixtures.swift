import CryptoPrimitives
import Foundation

/// The bytes of a file in Tests/Fixtures/vault.
func fixture(_ name: String, file: String = #filePath) throws -> [UInt8] {
    let tests = URL(filePath: file).deletingLastPathComponent().deletingLastPathComponent()
    return Array(try Data(contentsOf: tests.appending(path: "Fixtures/vault/\(name)")))
}

/// `count` bytes counting up from `first`, as `reference.py` has them.
func numbers(_ first: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: first + $0) } }

/// Puts the right checksum over a plain page that a test has changed.
func resealPlainPage(_ bytes: inout [UInt8]) {
    bytes.replaceSubrange(4064..., with: BLAKE2b.hash(bytes[..<4064]))
}
