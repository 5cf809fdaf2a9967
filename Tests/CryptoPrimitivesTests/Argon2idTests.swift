import Base
import CSodium
import Foundation
import Testing

@testable import CryptoPrimitives

@Suite struct Argon2idTests {
    @Test("The library verifies the reference implementation's encoded hashes")
    func referenceHashes() throws {
        Sodium.ready()
        let rows = try vectors("small/argon2id.jsonl").filter { $0["encoded"] != nil }
        #expect(rows.count == 4)
        for row in rows {
            let encoded = try #require(row["encoded"] as? String)
            let password = try #require(row.bytes("password_hex"))
            let signed = password.map { CChar(bitPattern: $0) }
            #expect(crypto_pwhash_argon2id_str_verify(encoded, signed, UInt64(signed.count)) == 0)
            #expect(crypto_pwhash_argon2id_str_verify(encoded, signed, UInt64(signed.count - 1)) != 0)
        }
    }

    @Test("What is stretched here is version 1.3 with the parameters asked for, by the encoded form's account")
    func parametersArrive() throws {
        let salt = [UInt8](0..<16)
        let passcode = SecretBytes(copying: Array("correct horse".utf8))
        let parameters = Argon2id.Parameters(memoryBytes: 64 * 1024, passes: 3)
        let tag = try Argon2id.stretch(passcode, salt: salt, parameters: parameters, count: 32)
        let encoded = "$argon2id$v=19$m=64,t=3,p=1$\(base64(salt))$\(base64(tag.array))"
        let signed = "correct horse".utf8.map { CChar(bitPattern: $0) }
        #expect(crypto_pwhash_argon2id_str_verify(encoded, signed, UInt64(signed.count)) == 0)
    }

    @Test("Memory that is not to be had is memory.short")
    func noMemory() {
        let passcode = SecretBytes(copying: Array("x".utf8))
        #expect(throws: Failure(.memoryShort)) {
            _ = try Argon2id.stretch(
                passcode, salt: [UInt8](repeating: 0, count: 16),
                parameters: .init(memoryBytes: 4_000_000_000_000, passes: 1), count: 32
            ).count
        }
    }

    private func base64(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "=", with: "")
    }
}

extension SecretBytes {
    init(copying bytes: [UInt8]) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }
    var array: [UInt8] { withUnsafeBytes { Array($0) } }
}
