import Foundation

/// Rows of a JSON-lines file under Tests/Fixtures/vectors.
struct VectorRow: @unchecked Sendable {  // read-only after its construction
    private let fields: [String: Any]

    static func load(_ path: String) throws -> [VectorRow] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("Fixtures/vectors/\(path)")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            VectorRow(fields: try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:])
        }
    }

    subscript(_ name: String) -> String? { fields[name] as? String }
    func flag(_ name: String) -> Bool? { fields[name] as? Bool }
    func has(_ name: String) -> Bool { fields[name] != nil }
    var id: String { self["id"] ?? "?" }

    /// The bytes under `in`, or those of `in_hex`.
    var input: [UInt8] { self["in"].map { Array($0.utf8) } ?? hex("in_hex") }

    func hex(_ name: String) -> [UInt8] {
        let digits = Array((self[name] ?? "").utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).map { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }
}
