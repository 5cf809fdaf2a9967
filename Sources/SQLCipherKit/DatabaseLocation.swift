/// Where a database is.
package enum DatabaseLocation: Sendable {
    /// A name that the VFS `vfs` knows; SQLite's default VFS is never asked.
    case named(String, vfs: String)
    /// A file on its own, as tests and benchmarks use.
    case file(String)
}

/// How a database is opened. The defaults fit a profile's cell.
package struct ConnectionSettings: Sendable {
    /// Whether an empty place becomes a new database. Without it an empty place is `storage.damaged`: a cell that has
    /// lost its content must never silently start anew.
    package var createsIfEmpty: Bool
    /// Frames in the log (4096 bytes each) at which a commit also checkpoints; at most half of what a cell's log holds.
    package var checkpointFrames: Int32
    /// Bytes of page cache.
    package var cacheBytes: Int

    package init(createsIfEmpty: Bool = false, checkpointFrames: Int32 = 500, cacheBytes: Int = 8 * 1024 * 1024) {
        self.createsIfEmpty = createsIfEmpty
        self.checkpointFrames = checkpointFrames
        self.cacheBytes = cacheBytes
    }
}
