import Base
import Domain
import SQLCipherKit

// How values are written into integer columns. The numbers are the format (Docs/FORMATS.md): never reused.

extension Direction {
    var number: Int64 {
        switch self {
        case .incoming: 0
        case .outgoing: 1
        }
    }

    init(number: Int64) throws(StorageError) {
        switch number {
        case 0: self = .incoming
        case 1: self = .outgoing
        default: throw StorageError(.storageDamaged)
        }
    }
}

extension Security {
    var number: Int64 {
        switch self {
        case .plaintext: 0
        case .omemo: 1
        case .omemo2: 2
        case .undecryptable: 3
        }
    }

    init(number: Int64) throws(StorageError) {
        switch number {
        case 0: self = .plaintext
        case 1: self = .omemo
        case 2: self = .omemo2
        case 3: self = .undecryptable
        default: throw StorageError(.storageDamaged)
        }
    }
}

extension Subscription {
    var number: Int64 {
        switch self {
        case .none: 0
        case .to: 1
        case .from: 2
        case .both: 3
        }
    }

    init(number: Int64) throws(StorageError) {
        switch number {
        case 0: self = .none
        case 1: self = .to
        case 2: self = .from
        case 3: self = .both
        default: throw StorageError(.storageDamaged)
        }
    }
}

extension Delivery {
    var number: Int64 {
        switch self {
        case .queued: 0
        case .sent: 1
        case .delivered: 2
        case .read: 3
        case .failed: 4
        }
    }

    /// The code of a failed one, for the column beside it.
    var failureText: String? {
        if case .failed(let code) = self { code.rawValue } else { nil }
    }

    /// A code that this version does not know (a database once used by a newer one) is `message.refused`.
    init(number: Int64, failure: String?) throws(StorageError) {
        switch number {
        case 0: self = .queued
        case 1: self = .sent
        case 2: self = .delivered
        case 3: self = .read
        case 4: self = .failed(failure.flatMap(ErrorCode.init(rawValue:)) ?? .messageRefused)
        default: throw StorageError(.storageDamaged)
        }
    }
}

extension OutboxState {
    var number: Int64 {
        switch self {
        case .preparing: 0
        case .ready: 1
        case .submitting: 2
        case .retryScheduled: 3
        case .blockedByIdentityChange: 4
        }
    }

    /// The time that belongs to the state, in milliseconds since 1970.
    var moment: Int64? {
        switch self {
        case .submitting(let since): since.milliseconds
        case .retryScheduled(let at): at.milliseconds
        case .preparing, .ready, .blockedByIdentityChange: nil
        }
    }

    init(number: Int64, moment: Int64?) throws(StorageError) {
        switch (number, moment) {
        case (0, nil): self = .preparing
        case (1, nil): self = .ready
        case (2, let moment?): self = .submitting(since: Timestamp(milliseconds: moment))
        case (3, let moment?): self = .retryScheduled(at: Timestamp(milliseconds: moment))
        case (4, nil): self = .blockedByIdentityChange
        default: throw StorageError(.storageDamaged)
        }
    }
}

extension MessageID {
    /// An id read back from the database.
    init(stored text: String) throws(StorageError) {
        guard let id = MessageID(text: text) else { throw StorageError(.storageDamaged) }
        self = id
    }
}

extension MessageBody {
    /// A body read back from the database.
    init?(stored text: String?) throws(StorageError) {
        guard let text else { return nil }
        do { self = try MessageBody(text) } catch { throw StorageError(.storageDamaged) }
    }
}
