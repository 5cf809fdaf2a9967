import Application
import Base
import Domain
import SQLCipherKit

extension ReadTransaction {
    func search(_ text: String, limit: Int) throws(Failure) -> [Message] {
        let query = SearchQuery(text)
        guard !query.isEmpty else { return [] }
        return try sql { () throws(StorageError) in
            try willSearch()
            return try connection.rows(
                """
                SELECT \(StoredMessage.columns) FROM message_text
                JOIN messages ON messages.position = message_text.rowid
                WHERE message_text MATCH ?1 ORDER BY message_text.rowid DESC LIMIT ?2
                """, query.fts5, max(0, limit)
            ) { (row) throws(StorageError) in try StoredMessage(row, addresses).message }
        }
    }
}

/// What a person searches for: words, each of which must occur as a beginning.
struct SearchQuery {
    /// Words taken into account; what follows is ignored.
    static let wordLimit = 16
    private let words: [String]

    /// Everything that is neither letter nor number separates, as in the tokenizer; marks stay with their letter.
    init(_ text: String) {
        words = text.unicodeScalars.split(whereSeparator: { !Self.isWordScalar($0) })
            .prefix(Self.wordLimit).map { String($0) }
    }

    var isEmpty: Bool { words.isEmpty }

    /// FTS5's syntax: each word a quoted string with the prefix sign behind. A word has no quotes in it.
    var fts5: String { words.map { "\"\($0)\"*" }.joined(separator: " ") }

    private static func isWordScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark, .privateUse:
            true
        default:
            false
        }
    }
}

extension WriteTransaction {
    /// Indexes the texts of this transaction, in order of position.
    func indexTexts() throws(StorageError) {
        guard !unindexed.isEmpty else { return }
        unindexed.sort { $0.position < $1.position }
        try connection.withStatement("INSERT INTO message_text (rowid, body) VALUES (?1, ?2)") {
            (statement) throws(StorageError) in
            for (position, text) in unindexed {
                try statement.bind(.integer(position), at: 1)
                try statement.bind(.text(text), at: 2)
                while try statement.step() {}
                statement.reset()
            }
        }
        unindexed.removeAll(keepingCapacity: true)
        // From now on a move would have to take the index along.
        order.runs.removeAll()
    }

    /// Takes a message's words out of the index, which does not keep the text and has to be told it.
    func unindex(_ known: KnownMessage) throws(StorageError) {
        guard let body = known.body else { return }
        try connection.run(
            "INSERT INTO message_text (message_text, rowid, body) VALUES ('delete', ?1, ?2)", known.position, body)
    }
}
