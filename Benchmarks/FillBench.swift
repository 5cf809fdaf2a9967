import Application
import Base
import CryptoPrimitives
import Domain
import Glibc
import HostPlatform
import ProfileStore
import VaultStore

/// bench fill VAULT COUNT: stores so many messages in the profile that was last open, spread over fifty chats; the
/// passcode is the first line of standard input.
func fillBench(_ arguments: [String]) async throws {
    guard arguments.count == 2, let count = Int(arguments[1]) else { throw Failure(.commandUsage) }
    let held = try HeldVault(opening: arguments[0])
    let entropy = Entropy.system
    let vault = Vault(
        file: VaultFile(descriptor: held.descriptor), entropy: entropy, time: .system,
        stores: ProfileStores(
            create: { (connection, password) throws(Failure) in
                try createProfileStore(connection: connection, password: password, entropy: entropy)
            },
            open: { (connection) throws(Failure) in
                try openProfileStore(connection: connection, entropy: entropy)
            }))
    let line = Array((readLine() ?? "").utf8)
    let passcode = SecretBytes(count: line.count) { $0.copyBytes(from: line) }
    let factory: any SpaceFactory =
        switch try await vault.unlock(passcode: passcode) {
        case .real(let factory), .decoy(let factory): factory
        case .invalid: throw Failure(.unlockInvalid)
        }
    let space = try await factory.open()
    guard let profile = try await space.lastProfile() else { throw Failure(.profileNone) }
    let store = try await space.openProfile(profile)
    for first in stride(from: 0, to: count, by: 500) {
        try await store.write { (transaction) throws(Failure) in
            for index in first..<min(first + 500, count) { _ = try transaction.store(try message(index)) }
        }
    }
    await store.close()
    await space.close()
    print("fill: \(count) messages")
}

private func message(_ index: Int) throws(Failure) -> NewMessage {
    let chat = try JID("friend\(index % 50)@xmpp.test")
    return NewMessage(
        chat: chat, from: chat, direction: .incoming,
        body: try MessageBody("message \(index), a line of ordinary length with a few words and a tail"),
        at: Timestamp(milliseconds: 1_750_000_000_000 + Int64(index) * 60_000), security: .plaintext,
        id: "fill-\(index)", originID: nil, archiveID: "archive-\(index)", archive: .account, countsAsUnread: false)
}
