import Base
import CryptoPrimitives
import Glibc
import VaultStore

/// prover keys VAULT PASSCODE: every key that a passcode leads to, in hexadecimal by its name, derived as
/// Docs/FORMATS.md says; for whoever looks for them where they must not be. With the vault's own KDF.
func tellKeys(path: String, passcode: String) throws(Failure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(.vaultMissing) }
    defer { close(descriptor) }
    let file = VaultFile(descriptor: descriptor)
    let header = try VaultHeader(reading: file)
    let page = header.page
    let stretched = try Argon2id.stretch(
        secret(passcode), salt: Array(page.salt.prefix(Argon2id.saltSize)), parameters: page.kdf.parameters, count: 32)
    let master = HKDF.derive(
        stretched, salt: page.salt, info: Array("postern/1 master".utf8) + [page.kdf.id, page.protector.rawValue],
        count: 32)
    let slots = try header.slots()
    let cipher = SlotCipher(master: master.copy(), binding: page.binding)
    guard let slot = cipher.select(from: slots).result() else { throw Failure(.unlockInvalid) }
    let slotKeys = HKDF.derive(
        master, salt: Array(slots.slot(slot.place).prefix(32)),
        info: Array("postern/1 slot".utf8) + [UInt8(slot.place)],
        count: 88)
    let pageKeys = HKDF.derive(
        slot.rootKey, salt: page.salt, info: Array("postern/1 key page".utf8) + [slot.region], count: 64)
    var keys = [
        "stretched passcode": hexadecimal(stretched), "master key": hexadecimal(master),
        "slot key": hexadecimal(slotKeys.slice(0..<32)), "root key": hexadecimal(slot.rootKey),
        "key page's key": hexadecimal(pageKeys.slice(0..<32)),
    ]
    let store = KeyPageStore(
        access: RegionAccess(file: file, region: slot.region), binding: page.binding, salt: page.salt,
        rootKey: slot.rootKey, entropy: .system)
    guard let keyPage = try store.load() else { throw Failure(.vaultDamaged) }
    for (index, cell) in keyPage.cells.enumerated() where cell.state == .live {
        let place = [slot.region, UInt8(index)]
        let xts = HKDF.derive(
            cell.key.bytes, salt: page.salt, info: Array("postern/1 cell xts".utf8) + place, count: 64)
        let database = HKDF.derive(
            cell.key.bytes, salt: page.salt, info: Array("postern/1 cell sqlcipher".utf8) + place, count: 48)
        let name = index == 0 ? "registry" : "profile"
        keys["\(name)'s cell key"] = hexadecimal(cell.key.bytes)
        keys["\(name)'s XTS data key"] = hexadecimal(xts.slice(0..<32))
        keys["\(name)'s XTS tweak key"] = hexadecimal(xts.slice(32..<64))
        keys["\(name)'s database key"] = hexadecimal(database.slice(0..<32))
    }
    tell(keys)
}

private func hexadecimal(_ secret: borrowing SecretBytes) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return secret.withUnsafeBytes { bytes in
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
