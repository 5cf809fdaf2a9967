import Foundation

/// A file of vectors, one JSON object a line.
func vectors(_ path: String, file: String = #filePath) throws -> [[String: Any]] {
    let root = URL(filePath: file).deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "Fixtures/vectors/\(path)"), encoding: .utf8)
    return try text.split(separator: "\n").map { line in
        guard let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return row
    }
}

/// The bytes of a hexadecimal text; nil where it is none.
func bytes(hex text: String) -> [UInt8]? {
    guard text.utf8.count.isMultiple(of: 2) else { return nil }
    var output: [UInt8] = []
    var rest = Substring(text)
    while !rest.isEmpty {
        guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
        output.append(byte)
        rest = rest.dropFirst(2)
    }
    return output
}

extension [String: Any] {
    func bytes(_ key: String) -> [UInt8]? { (self[key] as? String).flatMap { CryptoPrimitivesTests.bytes(hex: $0) } }
}
