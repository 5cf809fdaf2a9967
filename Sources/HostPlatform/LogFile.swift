package import Base
import Glibc
import Synchronization

/// The file of `--log FILE`: safe lines with the time, appended; 0600.
package enum LogFile {
    /// Opens it for appending: a regular file, as anything else could make the session wait.
    /// Throws `file.unreadable`, and `file.isVault` where it is the vault by another name.
    package static func open(_ path: String, beside vault: borrowing HeldVault) throws(Failure) -> Int32 {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw Failure(.fileUnreadable) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Failure(.fileUnreadable)
        }
        guard !vault.isSame(as: descriptor) else {
            close(descriptor)
            throw Failure(.fileIsVault)
        }
        return descriptor
    }

    /// A log into that descriptor. A line that cannot be written is lost: a log must not stop the program.
    package static func log(to descriptor: Int32, time: TimeSource) -> Log {
        let isWriting = Mutex(())
        return Log(
            area: "session",
            sink: { line in
                isWriting.withLock { _ in
                    _ = writeAll(Array("\(time.now().text) \(line)\n".utf8), to: descriptor)
                }
            })
    }
}
