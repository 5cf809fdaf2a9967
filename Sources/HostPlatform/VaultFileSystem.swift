internal import CPlatform

/// What the file system under the vault means for hiding that a space is there: whether earlier states of the file can
/// remain on the disk, to be compared with the present one (Docs/THREAT-MODEL.md, "Whoever copies the file more than
/// once"). What lies below it (a snapshot of the volume, a disk image) does not show here.
package enum VaultFileSystem: Sendable, Equatable, CaseIterable {
    /// Written in place, on extents of its own: ext2 to ext4, XFS. Deniability is claimed here, and here only.
    case inPlace
    /// Such a file system, but a clone of the file shares extents with it.
    case cloned
    /// Each write goes to another place, and snapshots keep the former one: btrfs, ZFS, bcachefs, NILFS2, F2FS.
    case copyOnWrite
    /// Layers over another file system: overlayfs, eCryptfs, a container's.
    case layered
    /// In memory: gone at the next start of the machine.
    case memory
    /// NFS, SMB, 9P, Ceph, AFS: another machine has the file.
    case network
    /// A program of somebody's serves it.
    case fuse
    /// None that is known here, or it could not be asked.
    case unknown

    /// Of an open file.
    package init(descriptor: Int32) {
        let kind = Self(type: postern_file_system_type(descriptor))
        self = kind == .inPlace && postern_shares_extents(descriptor) == 1 ? .cloned : kind
    }

    /// Of a type's number, as in statfs(2) and <linux/magic.h>.
    init(type: Int64) {
        self =
            switch type {
            case 0xEF53, 0x5846_5342: .inPlace
            case 0x9123_683E, 0x2FC1_2FC1, 0xCA45_1A4E, 0x3434, 0xF2F5_2010: .copyOnWrite
            case 0x794C_7630, 0xF15F, 0x6175_6673: .layered
            case 0x0102_1994, 0x8584_58F6: .memory
            case 0x6969, 0x517B, 0xFE53_4D42, 0xFF53_4D42, 0x0102_1997, 0x00C3_6400, 0x5346_414F, 0x6B41_4653: .network
            case 0x6573_5546: .fuse
            default: .unknown
            }
    }

    /// What a person is to know; nil where there is nothing to say. The same in every vault.
    package var note: String? {
        let consequence = "comparing them can show whether there is a second space."
        return switch self {
        case .inPlace: nil
        case .cloned: "A clone of the vault shares its place on the disk: \(consequence)"
        case .copyOnWrite:
            "This file system can keep earlier states of the vault, and \(consequence) On ext4 or XFS none are kept."
        case .layered: "The vault is on a layered file system, which can keep an earlier state of it: \(consequence)"
        case .memory: "The vault is in memory only: it is gone when the machine stops."
        case .network: "Another machine stores the vault. It can keep earlier states, and \(consequence)"
        case .fuse: "A program serves this file system. It can keep earlier states of the vault, and \(consequence)"
        case .unknown:
            "Postern does not know this file system. If it keeps earlier states of the vault, \(consequence)"
        }
    }
}
