import Base
import Foundation
import Testing

@testable import CommandLine

@Suite("JSON lines")
struct JSONTests {
    @Test("Members with unknown values are left out and the rest keep their order")
    func members() {
        let json = JSON.members(["b": .number(1), "a": nil, "c": .array([.bool(true), .null])])
        #expect(String(decoding: json.line, as: UTF8.self) == #"{"b":1,"c":[true,null]}"#)
    }

    @Test("Every scalar survives the way through another parser")
    func escapes() throws {
        var text = "😀\u{10FFFF}"
        for value in UInt32(0)..<0x3000 {
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        let line = JSON.array([.string(text)]).line
        #expect(!line.contains(0x0A) && !line.contains { $0 < 0x20 })
        let parsed = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String])
        #expect(Array(parsed[0].unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test("No C1 control reaches the line unescaped")
    func controls() {
        let line = JSON.string("\u{9B}31m\u{85}\u{7F}\u{2028}").line
        #expect(String(decoding: line, as: UTF8.self) == #""\u009b31m\u0085\u007f\u2028""#)
    }

    @Test("A failure carries code, message, recovery and the time to wait")
    func failure() throws {
        let line = JSON.failure(Failure(.unlockDelayed, retryAfterMilliseconds: 5000), id: 0).line
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        let error = try #require(object["error"] as? [String: Any])
        #expect(object["id"] as? Int == 0)
        #expect(object["ok"] as? Bool == false)
        #expect(error["code"] as? String == "unlock.delayed")
        #expect(error["recovery"] as? String == "retry")
        #expect(error["retryAfterMs"] as? Int == 5000)
        #expect((error["message"] as? String)?.isEmpty == false)
    }
}
