import Base
import Glibc
import HostPlatform
import SQLCipherKit
import Support

@testable import VaultStore

extension TestVault {
    /// Opens a space with the product's own parts, no program running, and reads every live cell of it to the last
    /// page: authenticity and structure. Throws the code of what is wrong.
    /// - Returns: how many cells there are, the registry among them.
    func readEveryCell(_ passcode: String) throws -> Int {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw Missed("the vault file", []) }
        defer { close(descriptor) }
        let region = try openRegion(VaultFile(descriptor: descriptor), passcode)
        let live = region.page.cells.indices.filter { region.page.cells[$0].state == .live }
        for index in live {
            let cell = try Cell(region: region, index: index, isNew: false)
            defer { cell.close() }
            let connection = try cell.connect(cacheBytes: 1 << 20)
            try connection.integrityCheck()
            try connection.close()
        }
        return live.count
    }

    private func openRegion(_ file: VaultFile, _ passcode: String) throws -> Region {
        let header = try VaultHeader(reading: file)
        let source = MasterKeySource(protector: SoftwareProtector(), hasMemory: { _ in true })
        let attempt = UnlockAttempt(header: header, source: source, entropy: .system, time: .system)
        let bytes = Array(passcode.utf8)
        guard let slot = try attempt.run(SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }) else {
            throw Failure(.unlockInvalid)
        }
        let keys = SpaceKeys(file: file, header: header, slot: slot, entropy: .system)
        return try SpaceRecovery(keys: keys, slot: slot, entropy: .system).openRegion()
    }
}
