import Base
import Testing

@testable import CryptoPrimitives

@Suite struct DigestsTests {
    @Test func `PBKDF2 agrees with the vectors`() throws {
        let functions: [String: HashFunction] = [
            "HMAC-SHA1": .sha1, "HMAC-SHA256": .sha256, "HMAC-SHA512": .sha512,
        ]
        var checked = 0
        for row in try vectors("scram/pbkdf2.jsonl") {
            guard let name = row["prf"] as? String, let function = functions[name] else { continue }
            let expected = try #require(row.bytes("dk_hex"))
            let derived = function.stretch(
                secret(row.bytes("password_hex") ?? []), salt: row.bytes("salt_hex") ?? [],
                iterations: try #require(row["iterations"] as? Int), count: expected.count)
            #expect(plain(derived) == expected, "\(row["id"] ?? "")")
            checked += 1
        }
        #expect(checked > 10)
    }

    @Test func `Hashes agree with FIPS 180-4`() {
        // The examples of NIST for "abc".
        let expected: [(HashFunction, String)] = [
            (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        ]
        for (function, text) in expected {
            #expect(function.hash(Array("abc".utf8)) == bytes(hex: text))
            #expect(plain(function.hash(secret(Array("abc".utf8)))) == bytes(hex: text))
        }
    }

    @Test func `HMAC agrees with RFC 2202 and RFC 4231`() {
        // Test case 2 of each: key "Jefe".
        let message = Array("what do ya want for nothing?".utf8)
        #expect(
            plain(HashFunction.sha1.authenticate(message, key: secret(Array("Jefe".utf8))))
                == bytes(hex: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"))
        #expect(
            plain(HashFunction.sha256.authenticate(message, key: secret(Array("Jefe".utf8))))
                == bytes(hex: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
    }

    @Test(arguments: [(HashFunction.sha256, "hmac-sha256"), (.sha512, "hmac-sha512")])
    func `HMAC agrees with Wycheproof, and no tag that Wycheproof spoilt is right`(
        function: HashFunction, name: String
    ) throws {
        var verdicts: Set<Bool> = []
        for row in try vectors("wycheproof/\(name).jsonl") {
            let tag = try #require(row.bytes("tag"))
            let computed = plain(
                function.authenticate(try #require(row.bytes("msg")), key: secret(try #require(row.bytes("key")))))
            let isValid = row["result"] as? String == "valid"
            // Some tags are cut short.
            #expect((Array(computed.prefix(tag.count)) == tag) == isValid, "\(row["id"] ?? "")")
            verdicts.insert(isValid)
        }
        #expect(verdicts == [true, false])
    }

    @Test(arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")])
    func `Base64 agrees with RFC 4648`(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(text.utf8))
    }

    @Test(arguments: ["Zg", "Zg=", "Zh==", "Zm9v=", "Zm 9v", "Zm9v\n", "====", "Z", "Zm9-"])
    func `Base64 that is not canonical is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    private func secret(_ bytes: [UInt8]) -> SecretBytes {
        var secret = SecretBytes(count: bytes.count)
        secret.withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
        return secret
    }

    private func plain(_ secret: borrowing SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }
}
