import Base
import Testing

@testable import CryptoPrimitives

@Suite struct XChaCha20Poly1305Tests {
    @Test("Wycheproof's vectors seal and open when valid, and are refused when not")
    func wycheproof() throws {
        let rows = try vectors("wycheproof/xchacha20-poly1305.jsonl")
        var refused = 0
        for row in rows {
            let nonce = try #require(row.bytes("iv"))
            guard nonce.count == XChaCha20Poly1305.nonceSize else { continue }
            let key = SecretBytes(copying: try #require(row.bytes("key")))
            let associated = try #require(row.bytes("aad"))
            let message = try #require(row.bytes("msg"))
            let sealed = try #require(row.bytes("ct")) + (try #require(row.bytes("tag")))
            var plaintext = [UInt8](repeating: 0xAA, count: message.count)
            let opened = nonce.withUnsafeBytes { nonce in
                sealed.withUnsafeBytes { sealed in
                    plaintext.withUnsafeMutableBytes {
                        XChaCha20Poly1305.open(sealed, key: key, nonce: nonce, associatedData: associated, into: $0)
                    }
                }
            }
            let isValid = row["result"] as? String == "valid"
            #expect(opened == isValid, "\(row["id"] ?? "")")
            if isValid {
                #expect(plaintext == message)
                let again = nonce.withUnsafeBytes { nonce in
                    message.withUnsafeBytes {
                        XChaCha20Poly1305.seal($0, key: key, nonce: nonce, associatedData: associated)
                    }
                }
                #expect(again == sealed)
            } else {
                refused += 1
            }
        }
        #expect(refused > 0)
    }
}

@Suite struct CommittingKeyTests {
    private let nonce = [UInt8](repeating: 7, count: 24)

    private func key(_ byte: UInt8, commitment: UInt8) -> CommittingKey {
        CommittingKey(
            key: SecretBytes(copying: [UInt8](repeating: byte, count: 32)),
            commitment: SecretBytes(copying: [UInt8](repeating: commitment, count: 32)))
    }

    private func seal(_ content: [UInt8]) -> [UInt8] {
        key(1, commitment: 2).seal(SecretBytes(copying: content), nonce: nonce, associatedData: [5])
    }

    private func open(_ sealed: [UInt8], key: borrowing CommittingKey) -> [UInt8]? {
        key.open(sealed, nonce: nonce, associatedData: [5]) { Array($0) }
    }

    @Test("A sealed text opens to what it held")
    func roundTrip() {
        let sealed = seal(Array("content".utf8))
        #expect(sealed.count == 7 + CommittingKey.overhead)
        #expect(open(sealed, key: key(1, commitment: 2)) == Array("content".utf8))
    }

    @Test("A right tag under a key with another commitment does not open")
    func commitmentIsChecked() {
        #expect(open(seal([1, 2, 3]), key: key(1, commitment: 3)) == nil)
    }

    @Test("A flipped bit anywhere, other associated data or another nonce do not open")
    func tampering() {
        let sealed = seal([1, 2, 3])
        func opens(_ sealed: [UInt8], _ nonce: [UInt8], _ associated: [UInt8]) -> Bool {
            key(1, commitment: 2).open(sealed, nonce: nonce, associatedData: associated) { _ in true } ?? false
        }
        #expect(opens(sealed, nonce, [5]))
        #expect(!opens(sealed, nonce, [6]))
        #expect(!opens(sealed, [UInt8](repeating: 8, count: 24), [5]))
        #expect(!opens(Array(sealed.dropLast()), nonce, [5]))
        #expect(!opens([], nonce, [5]))
        for index in sealed.indices {
            var damaged = sealed
            damaged[index] ^= 1
            #expect(!opens(damaged, nonce, [5]))
        }
    }
}

@Suite struct BLAKE2bTests {
    // BLAKE2b-256 of the empty string and of "abc", as `b2sum -l 256` prints them.
    @Test("Known digests hold")
    func known() {
        #expect(
            BLAKE2b.hash([UInt8]()) == bytes(hex: "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"))
        #expect(
            BLAKE2b.hash(Array("abc".utf8))
                == bytes(hex: "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"))
    }
}
