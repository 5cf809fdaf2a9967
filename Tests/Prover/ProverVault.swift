import Application
import Base
import Foundation
import Glibc
import HostPlatform
import ProfileStore
import VaultStore

/// A vault over the code that the program ships, stretched by the test KDF. What the program takes from the kernel
/// can be given instead.
struct ProverVault {
    static let kdf = KDFProfile(id: 127)

    /// Throws `vault.version` in a release build, which has no KDF for tests.
    static func over(
        _ descriptor: Int32, time: TimeSource = .system, protector: any KeyProtector = SoftwareProtector(),
        probe: VaultProbe? = nil
    ) throws(Failure) -> Vault {
        guard let kdf else { throw Failure(.vaultVersion) }
        return Vault(
            file: VaultFile(descriptor: descriptor, probe: probe), kdf: kdf, protector: protector,
            hasMemory: { _ in true }, entropy: .system, time: time, stores: stores)
    }

    static let stores = ProfileStores(
        create: { (connection, password) throws(Failure) in
            try createProfileStore(connection: connection, password: password, entropy: .system)
        },
        open: { (connection) throws(Failure) in
            try openProfileStore(connection: connection, entropy: .system)
        })
}

func secret(_ text: String) -> SecretBytes {
    let bytes = Array(text.utf8)
    return SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }
}

func integer(_ text: some StringProtocol) throws(Failure) -> Int {
    guard let number = Int(text) else { throw Failure(.commandUsage) }
    return number
}

func tell(_ line: [String: Any]) {
    guard let data = try? JSONSerialization.data(withJSONObject: line, options: .sortedKeys) else { return }
    print(String(decoding: data, as: UTF8.self))
}

/// prover create VAULT SLICES PASSCODE: a vault with so many slices a region, fewer than `init` would make.
func createVault(_ arguments: [String]) async throws(Failure) {
    var held = try HeldVault(creating: arguments[0])
    try ProverVault.over(held.descriptor).create(
        prepared: secret(arguments[2]), slices: integer(arguments[1]), progress: { _, _ in })
    held.keep()
}
