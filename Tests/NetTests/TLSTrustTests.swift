import Base
import Testing

@testable import Net

@Suite("Authority files")
struct TLSTrustTests {
    @Test("A file without a certificate, or with a damaged or an endless one, is refused")
    func bad() async throws {
        let authority = try await TestAuthority.shared.value
        let good = authority.pem
        var damaged = good
        damaged[good.count / 2] = UInt8(ascii: "!")
        for pem in [[], Array("hello".utf8), damaged, good + damaged, Array(good.dropLast(60))] {
            #expect(throws: NetError(.tlsAuthorityFile)) { try TLSTrust(adding: pem) }
        }
        #expect(throws: NetError(.tlsAuthorityFile)) {
            try TLSTrust(adding: good + [UInt8](repeating: 10, count: TLSTrust.maximumBytes))
        }
    }
}
