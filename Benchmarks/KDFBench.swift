import Base
import CryptoPrimitives

/// One stretching of a passcode as the vault does it (Docs/FORMATS.md), alone; prints the median of five.
func kdfBench() throws {
    let passcode = Entropy.system.secret(32)
    let parameters = Argon2id.Parameters(memoryBytes: 256 << 20, passes: 3)
    var times: [Double] = []
    for _ in 0..<5 {
        let start = seconds()
        _ = try Argon2id.stretch(passcode, salt: Entropy.system.bytes(16), parameters: parameters, count: 32)
        times.append(seconds() - start)
    }
    print("kdf: \(Int(median(times) * 1000)) ms")
}
