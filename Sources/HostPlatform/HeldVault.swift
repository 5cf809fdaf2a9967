package import Base
internal import CPlatform
import Glibc

/// A vault file held by this process: opened, locked against other programs. Nothing in it was read.
package struct HeldVault: ~Copyable {
    /// Read and write; owned by this value.
    package let descriptor: Int32
    private let path: String
    /// Made by this value and not yet kept.
    private(set) var isNew: Bool

    /// `${XDG_DATA_HOME:-~/.local/share}/postern/vault`; nil where the environment names neither folder.
    package static func defaultPath(environment: (String) -> String?) -> String? {
        // XDG Base Directory: a relative path is to be ignored.
        if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/postern/vault" }
        if let home = environment("HOME"), home.hasPrefix("/") { return home + "/.local/share/postern/vault" }
        return nil
    }

    /// Opens an existing vault. Throws `vault.missing`, `vault.path`, `vault.access`, `vault.busy`, `storage.readOnly`.
    package init(opening path: String) throws(Failure) {
        descriptor = try Self.openLocked(path, O_RDWR)
        self.path = path
        isNew = false
    }

    /// Makes a file that was there before private to its owner, as one that `init(creating:)` makes is. Throws `vault.access`.
    package func makePrivate() throws(Failure) {
        guard fchmod(descriptor, 0o600) == 0 else { throw Failure(.vaultAccess) }
    }

    /// Makes an empty file (0600) in a folder of its own (0700, with its parents). Throws `vault.exists` too.
    /// The file goes again at the end of this value's life unless `keep` was called.
    package init(creating path: String) throws(Failure) {
        try Self.makeFolders(of: path)
        descriptor = try Self.openLocked(path, O_RDWR | O_CREAT | O_EXCL)
        self.path = path
        isNew = true
    }

    deinit {
        if isNew { unlink(path) }
        close(descriptor)
    }

    /// The new vault is whole: it stays, and its name is made durable.
    package mutating func keep() {
        isNew = false
        let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    /// Whether `file` is this very vault, by whatever name it was opened.
    package func isSame(as file: Int32) -> Bool {
        var (own, other) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && fstat(file, &other) == 0 && own.st_dev == other.st_dev
            && own.st_ino == other.st_ino
    }

    private static func openLocked(_ path: String, _ flags: Int32) throws(Failure) -> Int32 {
        // A device or FIFO is refused later, but may not hold us up or become our terminal here.
        let flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        // O_NOATIME is refused on files of another owner; times are then what the kernel makes of them.
        var descriptor = open(path, flags | postern_noatime, 0o600)
        if descriptor < 0, errno == EPERM { descriptor = open(path, flags, 0o600) }
        guard descriptor >= 0 else { throw failure(errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw Failure(.vaultBusy)
        }
        return descriptor
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func makeFolders(of path: String) throws(Failure) {
        let folder = Self.folder(of: path)
        if mkdir(folder, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, folder.contains("/"), folder != "/" else { throw failure(errno) }
        try makeFolders(of: folder)
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failure(errno) }
    }

    private static func failure(_ code: Int32) -> Failure {
        switch code {
        case ENOENT: Failure(.vaultMissing)
        case ENOTDIR: Failure(.vaultPath)
        case EEXIST: Failure(.vaultExists)
        case EROFS: Failure(.storageReadOnly)
        case ENOSPC, EDQUOT: Failure(.storageDiskFull)
        default: Failure(.vaultAccess)
        }
    }
}
