import Application
import Base
import Domain

/// The names a stanza had, by which a second copy of it is known. Each is nil where the stanza had none.
struct MessageNames: Equatable {
    /// Longest name kept, in bytes; a longer one names nothing.
    static let limit = 1024

    /// The stanza's `id`.
    var stanzaID: String?
    /// XEP-0359, by the author.
    var originID: String?
    /// XEP-0359, by the archive.
    var archiveID: String?

    init(stanzaID: String?, originID: String?, archiveID: String?) {
        self.stanzaID = Self.usable(stanzaID)
        self.originID = Self.usable(originID)
        self.archiveID = Self.usable(archiveID)
    }

    init(_ message: NewMessage) {
        self.init(stanzaID: message.id, originID: message.originID, archiveID: message.archiveID)
    }

    private static func usable(_ name: String?) -> String? {
        guard let name, (1...limit).contains(name.utf8.count), !name.utf8.contains(0) else { return nil }
        return name
    }

    /// Same bytes; Swift's own comparison takes canonically equal texts for equal.
    static func isSame(_ name: String?, _ other: String?) -> Bool {
        guard let name, let other else { return false }
        return name.utf8.elementsEqual(other.utf8)
    }

    /// How the names stand in a row whose `id` is `publicID`: a name equal to it is a bit in `flags` and no text, since
    /// nearly every message uses one text for all.
    func columns(publicID: MessageID) -> (flags: Int64, stanzaID: String?, originID: String?) {
        let stanzaIsPublic = Self.isSame(stanzaID, publicID.text)
        let originIsPublic = Self.isSame(originID, publicID.text)
        return (
            (stanzaIsPublic ? Flags.stanzaID : 0) | (originIsPublic ? Flags.originID : 0),
            stanzaIsPublic ? nil : stanzaID, originIsPublic ? nil : originID
        )
    }

    /// Bits of the column `names`.
    enum Flags {
        static let stanzaID: Int64 = 1
        static let originID: Int64 = 2
    }
}
