import Foundation
import Support
import Testing

extension Integration {
    /// What a damaged file gets, by Docs/FORMATS.md; nothing is written to it in any of these cases.
    @Suite("A damaged vault", .timeLimit(.minutes(2))) struct Damage {
        private func refusal(of contents: Data) async throws -> (code: String?, end: ProcessEnd, after: Data) {
            let folder = try TemporaryFolder()
            let url = URL(fileURLWithPath: folder.file("vault"))
            try contents.write(to: url)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
            let shell = try ShellSession(vault: url.path, passcodes: [TestVault.passcode])
            let code = try await shell.refusal().code
            return (code, try await shell.process.ended(), try Data(contentsOf: url))
        }

        @Test("A file that is too short is damaged, exit code 5, and stays as it is", arguments: [0, 1, 4096, 1 << 20])
        func short(length: Int) async throws {
            let vault = try await TestVault()
            let contents = try Data(contentsOf: URL(fileURLWithPath: vault.path)).prefix(length)
            let outcome = try await refusal(of: Data(contents))
            #expect(outcome.code == "vault.damaged")
            #expect(outcome.end == .exit(5))
            #expect(outcome.after == contents)
        }

        @Test("With one damaged plain page the vault opens and the page is repaired", arguments: [0, 4096])
        func onePlainPage(offset: Int) async throws {
            let vault = try await TestVault()
            try vault.overwrite(at: offset, with: Data(repeating: 0, count: 4096))
            #expect(try await vault.shell().quit() == .exit(0))
            try vault.overwrite(at: offset == 0 ? 4096 : 0, with: Data(repeating: 0, count: 4096))
            #expect(try await vault.shell().quit() == .exit(0))
        }

        @Test("With both plain pages damaged nothing is written")
        func bothPlainPages() async throws {
            let vault = try await TestVault()
            var contents = try Data(contentsOf: URL(fileURLWithPath: vault.path))
            contents.replaceSubrange(100..<200, with: Data(repeating: 7, count: 100))
            contents.replaceSubrange(4196..<4296, with: Data(repeating: 7, count: 100))
            let outcome = try await refusal(of: contents)
            #expect(outcome.code == "vault.damaged")
            #expect(outcome.after == contents)
        }

        @Test("With one damaged key page the vault opens; with both it is damaged", arguments: [16384, 32768])
        func keyPage(offset: Int) async throws {
            let vault = try await TestVault()
            try vault.overwrite(at: offset, with: Data(repeating: 9, count: 16384))
            #expect(try await vault.shell().quit() == .exit(0))
            try vault.overwrite(at: 16384, with: Data(repeating: 9, count: 32768))
            let shell = try ShellSession(vault: vault.path, passcodes: [TestVault.passcode])
            #expect(try await shell.refusal().code == "vault.damaged")
            #expect(try await shell.process.ended() == .exit(5))
        }

        @Test("A folder in place of the vault, or a file that may not be opened, is vault.access")
        func notAFile() async throws {
            let folder = try TemporaryFolder()
            let shell = try ShellSession(vault: folder.path, passcodes: [TestVault.passcode])
            #expect(try await shell.refusal().code == "vault.access")
            #expect(try await shell.process.ended() == .exit(1))
        }
    }
}

extension TestVault {
    func overwrite(at offset: Int, with data: Data) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: data)
        try handle.close()
    }
}
