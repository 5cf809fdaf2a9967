package import Base
internal import CVaultVFS
package import SQLCipherKit
import Synchronization

/// A cell registered with the VFS: one database that can be opened until `close`.
package final class Cell: Sendable {
    /// Log slices of a profile and of a registry (Docs/FORMATS.md, "Limits").
    package static let profileLogSlices = Int(POSTERN_PROFILE_LOG_SLICES)
    package static let registryLogSlices = Int(POSTERN_REGISTRY_LOG_SLICES)

    private static let names = Atomic<UInt64>(0)

    /// SQLCipher's raw key and salt, 32 and 16 bytes.
    private let key: SecretBytes
    private let salt: SecretBytes
    private let isNew: Bool
    private let cipherKey: SecretBytes
    private let region: Region
    private let index: Int
    private let name: String
    private let mayUseKeptBack: Atomic<Bool>
    private let isRegistered = Mutex(false)

    /// Registers a cell.
    /// - Parameter isNew: nothing was ever written to it: it opens as an empty database.
    /// Throws `storage.damaged` where its slices cannot be right.
    package init(region: Region, index: Int, isNew: Bool) throws(Failure) {
        let entry = region.entry(index)
        let offsets = try region.offsets(of: index)
        guard entry.logSlices > 0, offsets.count > Int(entry.logSlices) else { throw Failure(.storageDamaged) }
        let keys = region.keys(of: index)
        self.region = region
        self.index = index
        name = "cell\(Self.names.wrappingAdd(1, ordering: .relaxed).newValue)"
        self.isNew = isNew
        key = keys.database.copy()
        salt = keys.databaseSalt.copy()
        cipherKey = keys.cipher.copy()
        // What a person deletes first takes a row or two in the registry.
        mayUseKeptBack = Atomic(index == 0)
        try register(offsets: offsets, logSlices: entry.logSlices, isNew: isNew)
    }

    private func register(offsets: [Int64], logSlices: UInt8, isNew: Bool) throws(Failure) {
        let grow: postern_cell_grow = { context, position in
            guard let context else { return 0 }
            return Unmanaged<Cell>.fromOpaque(context).takeUnretainedValue().grow(position)
        }
        // The VFS keeps the address of the key and of this object. A SecretBytes stays where it is for its whole life,
        // and the VFS owns a reference to this object until the cell is unregistered.
        let result = cipherKey.withUnsafeBytes { key in
            postern_cell_register(
                name, region.access.descriptor, key.bindMemory(to: UInt8.self).baseAddress, UInt32(logSlices),
                offsets.map { UInt64($0) }, UInt32(offsets.count), isNew ? 1 : 0, grow,
                Unmanaged.passRetained(self).toOpaque())
        }
        guard result == 0 else {
            Unmanaged.passUnretained(self).release()
            throw Failure(.storageFailed)
        }
        isRegistered.withLock { $0 = true }
    }

    /// Opens the database; at most one connection at a time. Throws `storage.damaged` where it does not decrypt, or is
    /// empty and not new.
    package func connect(cacheBytes: Int) throws(Failure) -> sending Connection {
        do throws(StorageError) {
            return try Connection(
                .named(name, vfs: POSTERN_VFS_NAME), key: key, salt: salt,
                settings: ConnectionSettings(createsIfEmpty: isNew, cacheBytes: cacheBytes))
        } catch { throw Failure(error.code) }
    }

    /// Lets deletions use the slices that are kept back.
    package func allowKeptBack(_ isAllowed: Bool) {
        mayUseKeptBack.store(isAllowed, ordering: .sequentiallyConsistent)
    }

    /// Forgets the cell, whose database must be closed; while that is open, the cell stays. Idempotent. A cell that is
    /// never closed stays, with its keys, as long as the process.
    package func close() {
        isRegistered.withLock { isRegistered in
            guard isRegistered, postern_cell_unregister(name) == 0 else { return }
            isRegistered = false
            Unmanaged.passUnretained(self).release()
        }
    }

    /// Called by the VFS inside a write.
    private func grow(_ position: UInt32) -> UInt64 {
        let isAllowed = mayUseKeptBack.load(ordering: .sequentiallyConsistent)
        do throws(Failure) {
            let offset = try region.slice(of: index, position: Int(position), mayUseKeptBack: isAllowed)
            return UInt64(offset ?? Int64(POSTERN_GROW_NONE))
        } catch {
            return switch error.code {
            case .storageFull: UInt64(POSTERN_GROW_NONE)
            case .storageDiskFull: UInt64(POSTERN_GROW_DISK_FULL)
            case .storageReadOnly: UInt64(POSTERN_GROW_READ_ONLY)
            default: UInt64(POSTERN_GROW_FAILED)
            }
        }
    }
}
