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
    func number(_ name: String) -> Int? { fields[name] as? Int }
    func flag(_ name: String) -> Bool? { fields[name] as? Bool }
    func strings(_ name: String) -> [String]? { fields[name] as? [String] }
    var id: String { self["id"] ?? "?" }

    /// The pieces under `chunks`, or the bytes under `in` or `in_hex` as one piece.
    var chunks: [[UInt8]] {
        if let chunks = strings("chunks") { return chunks.map { Array($0.utf8) } }
        return [self["in"].map { Array($0.utf8) } ?? hex("in_hex")]
    }

    func hex(_ name: String) -> [UInt8] {
        let digits = Array((self[name] ?? "").utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).map { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }
}

/// A generator with a fixed seed (SplitMix64), so that a failing random test fails again.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
