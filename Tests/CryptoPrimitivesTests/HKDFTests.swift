import Base
import Testing

@testable import CryptoPrimitives

@Suite struct HKDFTests {
    @Test("Wycheproof's vectors hold, RFC 5869's among them")
    func wycheproof() throws {
        var used = 0
        for row in try vectors("wycheproof/hkdf-sha256.jsonl") where row["result"] as? String == "valid" {
            let key = SecretBytes(copying: try #require(row.bytes("ikm")))
            let expected = try #require(row.bytes("okm"))
            let derived = HKDF.derive(
                key, salt: try #require(row.bytes("salt")), info: try #require(row.bytes("info")),
                count: try #require(row["size"] as? Int))
            #expect(derived.array == expected, "\(row["id"] ?? "")")
            used += 1
        }
        #expect(used >= 20)
    }
}
