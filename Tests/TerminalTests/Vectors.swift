import Foundation
import Testing

/// The rows of a file in Tests/Fixtures/vectors/terminal.
enum Vectors {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        let id: String
        let cat: String
        let `in`: String
        let width: Int?
        let from_col: Int?
        let to_col: Int?
        let expect: String?
        let clusters: [String]?
        var testDescription: String { id }
    }

    static func rows(_ name: String) -> [Row] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/vectors/terminal/\(name).jsonl")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").compactMap { line in
            try? JSONDecoder().decode(Row.self, from: Data(line.utf8))
        }
    }
}
