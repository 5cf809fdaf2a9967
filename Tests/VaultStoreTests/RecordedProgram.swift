import Foundation
import Glibc
import Support
import Testing

/// `postern shell --json` with the recorder in front of the C library: everything that the program, as it is shipped,
/// did to its vault file, and what it answered between.
struct RecordedProgram {
    let folder: TemporaryFolder
    var vault: String { folder.file("vault") }
    private var record: String { folder.file("record") }
    private static let recordSize = 256 << 20

    /// - Parameter bytes: the vault's.
    init(vault bytes: [UInt8]) throws {
        folder = try TemporaryFolder()
        let paths = [(vault, bytes.count), (record, Self.recordSize)]
        for (path, size) in paths {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(descriptor >= 0 && ftruncate(descriptor, off_t(size)) == 0)
            if path == vault { try #require(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count) }
            close(descriptor)
        }
        let compilers = ["/usr/bin/cc", "/usr/bin/clang"]
        let compiler = compilers.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "/usr/bin/gcc"
        let source = Checkout.root + "/Tests/Recorder/"
        let build = Process()
        build.executableURL = URL(filePath: compiler)
        build.arguments = [
            "-shared", "-fPIC", "-O1", "-DPOSTERN_PRELOADED", "-I\(source)include", source + "recorder.c", "-o",
            folder.file("recorder.so"), "-ldl",
        ]
        try build.run()
        build.waitUntilExit()
        try #require(build.terminationStatus == 0)
    }

    func start(passcodes: [String], passwords: [String]) throws -> ShellSession {
        var environment = ProcessInfo.processInfo.environment
        environment["LD_PRELOAD"] = folder.file("recorder.so")
        environment["POSTERN_RECORD"] = record
        environment["POSTERN_RECORDED_FILE"] = vault
        return try ShellSession(vault: vault, passcodes: passcodes, passwords: passwords, environment: environment)
    }

    /// What was recorded, after the program's end. The numbers of commands answered with success are its notes.
    func recording() throws -> Recording {
        let bytes = try Data(contentsOf: URL(filePath: record), options: .alwaysMapped)
        return try bytes.withUnsafeBytes { bytes in
            let used = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
            try #require(used > 0 && Int(used) <= Self.recordSize - 16, "the record is empty or too long")
            return Recording(UnsafeRawBufferPointer(rebasing: bytes[16..<(16 + Int(used))]))
        }
    }

    /// How many commands were answered with success, of notes that are pieces of its output.
    static func answered(_ notes: [String]) -> Int {
        notes.joined().split(separator: "\n").count { line in
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?["ok"] as? Bool == true
        }
    }
}
