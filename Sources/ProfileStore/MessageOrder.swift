import Application
import SQLCipherKit

/// Where messages of the transaction that is going on were placed. Positions are explained in Docs/FORMATS.md: one
/// number for each message of the profile, ascending within each chat as the chat is read.
struct MessageOrder {
    /// The first message's position: as much room below as above.
    static let origin: Int64 = 1 << 48
    /// From one message to the next at either end.
    static let step: Int64 = 1 << 28
    /// What a page going back takes: 256 steps.
    static let block: Int64 = 256 * step
    /// From the last message before an archive was restarted to the first one after it.
    static let jump: Int64 = 1 << 48

    /// A page as far as it was stored, in one chat.
    struct Run {
        /// Positions given before the page came to a message that was there.
        var unanchored: [Int64] = []
        /// The message, there before or put behind such a one, behind which the next goes.
        var anchor: Int64?
    }

    /// The highest position in use.
    var last: Int64?
    var runs: [Int64: Run] = [:]
    /// The page going back: the position given last, how far apart they are, and the position it must stay below
    /// (`Int64.max`: there was nothing to go before).
    var older: (last: Int64, step: Int64, below: Int64)?

    /// Adds without the trap that a damaged database could spring.
    static func sum(_ position: Int64, _ distance: Int64) throws(StorageError) -> Int64 {
        let (sum, overflows) = position.addingReportingOverflow(distance)
        guard !overflows else { throw StorageError(.storageDamaged) }
        return sum
    }
}

extension WriteTransaction {
    /// A position for a new message.
    func place(_ placement: Placement, chat: Int64, archive: ArchiveNumber) throws(StorageError) -> Int64 {
        switch placement {
        case .live:
            return try placeAtEnd()
        case .newerPage, .olderPage:
            if let anchor = order.runs[chat]?.anchor {
                let position =
                    try lastPosition(in: chat) == anchor ? try placeAtEnd() : try placeBehind(anchor)
                order.runs[chat]?.anchor = position
                return position
            }
            guard placement == .newerPage else { return try placeBefore(archive) }
            let position = try placeAtEnd()
            order.runs[chat, default: MessageOrder.Run()].unanchored.append(position)
            return position
        }
    }

    /// Notes that a page came to a message that was there: what the page put at the end before goes in front of it.
    func pageArrived(at position: Int64, chat: Int64) throws(StorageError) {
        let run = order.runs[chat] ?? MessageOrder.Run()
        if let first = run.unanchored.first, first > position { try move(run.unanchored, before: position, chat: chat) }
        order.runs[chat] = MessageOrder.Run(anchor: position)
    }

    private func placeAtEnd() throws(StorageError) -> Int64 {
        let position: Int64
        if let last = order.last {
            position = try MessageOrder.sum(last, MessageOrder.step)
        } else {
            let last = try connection.first("SELECT max(position) FROM messages") { (row) in row.int64OrNil(0) } ?? nil
            let floor = try connection.first("SELECT max(floor) FROM archives") { (row) in row.int64OrNil(0) } ?? nil
            switch (last, floor) {
            case (let last?, let floor?) where last > floor: position = try MessageOrder.sum(last, MessageOrder.step)
            case (_, let floor?): position = try MessageOrder.sum(floor, MessageOrder.jump)
            case (let last?, nil): position = try MessageOrder.sum(last, MessageOrder.step)
            case (nil, nil): position = MessageOrder.origin
            }
        }
        order.last = position
        return position
    }

    /// Directly behind a message: a 64th of the way to the next, which takes a page of 250 and then more of them into each
    /// gap that leaves, four times over. At the end where no number is left: it takes a server that contradicts itself.
    private func placeBehind(_ position: Int64) throws(StorageError) -> Int64 {
        let next = try connection.first("SELECT min(position) FROM messages WHERE position > ?1", position) { (row) in
            row.int64OrNil(0)
        }
        guard let next = next ?? nil else { return try placeAtEnd() }
        let room = try MessageOrder.sum(next, -position)
        return room < 2 ? try placeAtEnd() : position + max(1, room >> 6)
    }

    private func placeBefore(_ archive: ArchiveNumber) throws(StorageError) -> Int64 {
        if let older = order.older {
            guard older.below < Int64.max else { return try placeAtEnd() }
            var position = try MessageOrder.sum(older.last, older.step)
            if position >= older.below { position = try placeBehind(older.last) }
            order.older?.last = position
            return position
        }
        let floor = try floor(of: archive)
        let low = try connection.first(
            "SELECT min(position) FROM messages WHERE position > ?1", floor ?? Int64.min
        ) { (row) in row.int64OrNil(0) }
        guard let low = low ?? nil else {
            let position = try placeAtEnd()
            order.older = (last: position, step: MessageOrder.step, below: Int64.max)
            return position
        }
        var step = MessageOrder.step
        if let floor { step = min(step, try MessageOrder.sum(low, -floor) / 512) }
        guard step > 0 else { return try placeAtEnd() }
        let position = try MessageOrder.sum(low, -256 * step)
        order.older = (last: position, step: step, below: low)
        return position
    }

    /// Moves messages of this transaction, which nobody has seen there, into the gap in front of a message.
    private func move(_ positions: [Int64], before position: Int64, chat: Int64) throws(StorageError) {
        let previous = try connection.first("SELECT max(position) FROM messages WHERE position < ?1", position) {
            (row) in
            row.int64OrNil(0)
        }
        let low =
            if let previous = previous ?? nil { previous } else {
                try MessageOrder.sum(position, -MessageOrder.block)
            }
        let distance = try MessageOrder.sum(position, -low) / Int64(positions.count + 1)
        guard distance > 0 else { return }
        for (index, old) in positions.enumerated() {
            let new = low + distance * Int64(index + 1)
            try connection.run("UPDATE messages SET position = ?1 WHERE position = ?2", new, old)
            try connection.run("UPDATE chats SET markable = ?1 WHERE address = ?2 AND markable = ?3", new, chat, old)
            if let waiting = unindexed.firstIndex(where: { $0.position == old }) { unindexed[waiting].position = new }
        }
        try refreshLast(of: chat)
    }

    private func lastPosition(in chat: Int64) throws(StorageError) -> Int64? {
        try connection.first("SELECT max(position) FROM messages WHERE chat = ?1", chat) { (row) in
            row.int64OrNil(0)
        } ?? nil
    }
}
