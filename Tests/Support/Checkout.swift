import Foundation
import Synchronization

/// Where things lie in the checkout that these tests were built from.
package enum Checkout {
    package static let root = String(#filePath.dropLast("/Tests/Support/Checkout.swift".count))
    package static let fixtures = root + "/Tests/Fixtures"
    /// The interpreter with the peer's packages; made by `Scripts/setup --test`.
    package static let python = root + "/.build/deps/peer/bin/python"

    /// The built program: what `POSTERN_PROGRAM` names, else the one beside these tests.
    package static var program: String {
        if let named = ProcessInfo.processInfo.environment["POSTERN_PROGRAM"], !named.isEmpty { return named }
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("postern").path
        return FileManager.default.isExecutableFile(atPath: beside) ? beside : root + "/.build/debug/postern"
    }
}

/// A folder of its own for one test, mode 0700, gone with its owner.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("postern-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private static let toRemove = Mutex<[String]>([])

    /// For a folder whose owner lives as long as the process.
    package func removeAtExit() {
        Self.toRemove.withLock { paths in
            if paths.isEmpty {
                atexit {
                    for path in TemporaryFolder.toRemove.withLock({ $0 }) {
                        try? FileManager.default.removeItem(atPath: path)
                    }
                }
            }
            paths.append(path)
        }
    }

    /// Whether there is nothing in it.
    package var isEmpty: Bool {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).isEmpty }
    }

    /// The path of a file in it.
    package func file(_ name: String) -> String { path + "/" + name }
}
