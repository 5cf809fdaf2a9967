package import Base

/// Which archive (XEP-0313): the account's own, or a room's.
package enum ArchiveName: Sendable, Hashable {
    case account
    case room(JID)
}

/// How far an archive has been read. Ids are the server's, opaque.
package struct ArchiveCursor: Sendable, Equatable {
    /// The newest archive id that was read and committed with everything before it, from the first page on.
    package var newest: String?
    /// The oldest id read so far (the server's `<first>`), from which older pages are asked for.
    package var oldest: String?
    /// Whether the archive's beginning was reached.
    package var isComplete: Bool
    /// The server's stamp of `newest`: where to go on should the server have forgotten that id.
    package var newestAt: Timestamp?
    package init(newest: String?, oldest: String?, isComplete: Bool, newestAt: Timestamp? = nil) {
        self.newest = newest
        self.oldest = oldest
        self.isComplete = isComplete
        self.newestAt = newestAt
    }
}

/// One bounded page to ask for.
package struct ArchiveQuery: Sendable, Equatable {
    /// Which page.
    package enum Direction: Sendable, Equatable {
        /// The last page of the archive.
        case last
        case after(String)
        case before(String)
        /// From a moment on, for settling an unknown outcome.
        case since(Timestamp)
        /// Further pages of a `since` query.
        case sinceAfter(Timestamp, String)
    }
    package let archive: ArchiveName
    package let direction: Direction
    /// At most 250.
    package let limit: Int
    package init(archive: ArchiveName, direction: Direction, limit: Int) {
        self.archive = archive
        self.direction = direction
        self.limit = limit
    }
}
