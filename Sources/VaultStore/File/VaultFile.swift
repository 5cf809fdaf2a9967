package import Base
internal import Glibc

/// One access to the vault file, as a probe sees it before it happens.
package enum VaultOperation: Sendable, Equatable {
    case read(offset: Int64, count: Int)
    case write(offset: Int64, bytes: [UInt8])
    case sync
    case truncate(size: Int64)
}

/// What a probe lets happen.
package enum ProbeVerdict: Sendable, Equatable {
    case proceed
    /// The call fails with this `errno`, having done nothing.
    case fail(errno: Int32)
    /// A write puts down its first bytes only and then fails: a torn page.
    case tear(bytes: Int)
}

/// Watches, fails or tears accesses to the vault; tests use it to stop an operation at any step.
package typealias VaultProbe = @Sendable (VaultOperation) -> ProbeVerdict

/// The vault file: all reading and writing outside the cells' databases.
///
/// Works on a descriptor given from outside (the parent process opened and locked it) and never closes it. Calls are
/// positioned, so that any thread may use it.
package final class VaultFile: Sendable {
    /// Open for reading and writing; the opener's.
    package let descriptor: Int32
    private let probe: VaultProbe?

    package init(descriptor: Int32, probe: VaultProbe? = nil) {
        self.descriptor = descriptor
        self.probe = probe
    }

    /// The file's size in bytes. Throws `vault.access` if it is not a regular file.
    package func size() throws(Failure) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Failure(.vaultAccess) }
        return Int64(status.st_size)
    }

    /// Exactly `count` bytes. Throws `vault.damaged` where the file ends before.
    package func read(at offset: Int64, count: Int) throws(Failure) -> [UInt8] {
        try consult(.read(offset: offset, count: count))
        var failure: Failure?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let got = pread(
                    descriptor, UnsafeMutableRawPointer(buffer.baseAddress?.advanced(by: initialized)),
                    count - initialized, off_t(offset) + off_t(initialized))
                if got > 0 {
                    initialized += got
                } else if got == 0 {
                    failure = Failure(.vaultDamaged)
                    return
                } else if errno != EINTR {
                    failure = Self.failure(errno)
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all of `bytes`. Throws `storage.diskFull`, `storage.readOnly`, `storage.failed`.
    package func write(_ bytes: [UInt8], at offset: Int64) throws(Failure) {
        var torn = bytes.count
        if let probe {
            switch probe(.write(offset: offset, bytes: bytes)) {
            case .proceed: break
            case .fail(let number): throw Self.failure(number)
            case .tear(let count): torn = min(count, bytes.count)
            }
        }
        let number = bytes.withUnsafeBytes { put($0.prefix(torn), at: offset) }
        if number != 0 { throw Self.failure(number) }
        if torn < bytes.count { throw Failure(.storageFailed) }
    }

    /// Returns 0, or the `errno` that ended it.
    private func put(_ bytes: Slice<UnsafeRawBufferPointer>, at offset: Int64) -> Int32 {
        let buffer = UnsafeRawBufferPointer(rebasing: bytes)
        var done = 0
        while done < buffer.count {
            let wrote = pwrite(
                descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(offset) + off_t(done))
            if wrote > 0 {
                done += wrote
            } else if wrote == 0 {
                return EIO
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// Makes what was written durable, the file's size included.
    package func sync() throws(Failure) {
        try consult(.sync)
        while fdatasync(descriptor) != 0 {
            if errno != EINTR { throw Self.failure(errno) }
        }
    }

    package func truncate(to size: Int64) throws(Failure) {
        try consult(.truncate(size: size))
        while ftruncate(descriptor, off_t(size)) != 0 {
            if errno != EINTR { throw Self.failure(errno) }
        }
    }

    private func consult(_ operation: VaultOperation) throws(Failure) {
        guard let probe else { return }
        switch probe(operation) {
        case .proceed: break
        case .fail(let number): throw Self.failure(number)
        case .tear: throw Failure(.storageFailed)
        }
    }

    private static func failure(_ number: Int32) -> Failure {
        switch number {
        case ENOSPC, EDQUOT, EFBIG: Failure(.storageDiskFull)
        case EROFS, EACCES, EPERM, EBADF: Failure(.storageReadOnly)
        default: Failure(.storageFailed)
        }
    }
}
