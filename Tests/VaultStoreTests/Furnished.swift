import Application
import Base
import Domain
import Foundation
import SQLCipherKit
import Testing

@testable import VaultStore

/// What a check of an image found not to hold.
struct Broken: Error, CustomStringConvertible {
    let description: String
}

/// Throws unless `condition` holds.
func hold(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw Broken(description: description()) }
}

/// What somebody who opens a space finds in it: each profile's texts, in order.
struct SpaceContent: Equatable {
    var profiles: [String: [String]]
}

/// A vault with a profile and two messages in either space, and how to look into one like it.
enum Furnished {
    static let friend = "friend@example.org"
    static let outer = SpaceContent(profiles: ["home": ["o1", "o2"]])
    static let inner = SpaceContent(profiles: ["mine": ["i1", "i2"]])

    /// 20 slices a region: registry 3, profile 9, kept back 4, so 4 to grow into.
    static func vault(slices: Int = 20, kdf: KDFProfile = .testing) async throws -> VaultOnDisk {
        let disk = try await VaultOnDisk.withBoth(slices: slices, kdf: kdf)
        for (passcode, content) in [("outer", outer), ("inner", inner)] {
            let space = try await disk.open(passcode)
            for (name, texts) in content.profiles {
                let profile = try await space.addProfile(settings(name), password: secret(name))
                let store = try await space.openProfile(profile.id)
                for text in texts { try await send(text, in: store) }
                await store.close()
                try await space.setLastProfile(profile.id)
            }
            await space.close()
        }
        return disk
    }

    static func settings(_ name: String) throws -> ProfileSettings {
        ProfileSettings(name: try ProfileName(name), jid: try JID("\(name)@example.org"))
    }

    /// Writes a message as a person's command does. When it returns, that was answered.
    static func send(_ text: String, in store: any ProfileStorePort) async throws {
        let (me, chat) = (try JID("me@example.org"), try JID(friend))
        _ = try await store.write { (transaction) throws(Failure) in
            try transaction.enqueue(
                Message(
                    id: MessageID(entropy: .system), chat: chat, from: me, direction: .outgoing,
                    body: MessageBody(text), at: Timestamp(milliseconds: 1), delivery: .queued, security: .plaintext))
        }
    }

    /// What is in the space that a passcode opens, every cell of it read to the last page; nil if it opens none.
    /// Throws where anything does not open or is not whole.
    static func look(_ passcode: String, on disk: VaultOnDisk, as role: Role) async throws -> SpaceContent? {
        let factory: any SpaceFactory
        switch (try await disk.unlock(passcode), role) {
        case (.real(let found), .real), (.decoy(let found), .decoy): factory = found
        case (.invalid, _): return nil
        case (.real, _), (.decoy, _): throw Broken(description: "'\(passcode)' opens the wrong space")
        }
        let space = try await factory.open()
        var content = SpaceContent(profiles: [:])
        for profile in try await space.profiles() {
            let store = try await space.openProfile(profile.id)
            let texts = try await store.read { (reader) throws(Failure) in
                try reader.messages(in: JID(friend), before: nil, limit: 10_000).map { $0.body?.text ?? "" }
            }
            content.profiles[profile.settings.name.text] = texts
            await store.close()
        }
        await space.close()
        try readEveryCell(passcode, on: disk)
        return content
    }

    /// Makes a space's registry what version 1 had: an address belonged to one profile.
    static func downgradeRegistry(of passcode: String, on disk: VaultOnDisk) throws {
        let region = try VaultStoreTests.RegionTests.region(disk, passcode: passcode)
        let cell = try Cell(region: region, index: 0, isNew: false)
        defer { cell.close() }
        let connection = try cell.connect(cacheBytes: 1 << 20)
        try connection.transaction { (transaction) throws(StorageError) in
            let present = try connection.first("SELECT sql FROM sqlite_schema WHERE name = 'profile'") { (row) in
                row.text(0)
            }
            let former = (present ?? "").replacingOccurrences(
                of: "jid TEXT NOT NULL,", with: "jid TEXT NOT NULL UNIQUE,")
            try transaction.run("ALTER TABLE profile RENAME TO later")
            try transaction.run(former)
            try transaction.run("INSERT INTO profile SELECT * FROM later")
            try transaction.run("DROP TABLE later")
        }
        try connection.execute("PRAGMA user_version=1")
        try connection.close()
    }

    /// Throws where a page or a structure of a live cell is not whole.
    static func readEveryCell(_ passcode: String, on disk: VaultOnDisk) throws {
        let region = try VaultStoreTests.RegionTests.region(disk, passcode: passcode)
        for index in region.page.cells.indices where region.page.cells[index].state == .live {
            let cell = try Cell(region: region, index: index, isNew: false)
            defer { cell.close() }
            let connection = try cell.connect(cacheBytes: 1 << 20)
            try connection.integrityCheck()
            try connection.close()
        }
    }

    static func expectOuter(_ disk: VaultOnDisk, passcode: String = "outer") async throws {
        try hold(try await look(passcode, on: disk, as: .decoy) == outer, "the outer space is not as it was")
    }

    static func expectInner(_ disk: VaultOnDisk, passcode: String = "inner") async throws {
        try hold(try await look(passcode, on: disk, as: .real) == inner, "the inner space is not as it was")
    }
}
