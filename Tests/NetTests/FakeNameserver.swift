import Foundation
import Glibc
import Synchronization

/// A DNS server on loopback UDP with a fixed table; it keeps the questions it was asked.
final class FakeNameserver: Sendable {
    enum Record {
        case srv(priority: UInt16, weight: UInt16, port: UInt16, target: String)
        case a([UInt8])
        case aaaa([UInt8])
        /// The question is left without an answer.
        case silence
        /// The server's failure (RCODE 2).
        case failure
        /// An answer that is none.
        case garbage
    }

    let port: UInt16
    private let descriptor: Int32
    private let asked = Mutex<[String]>([])

    /// - Parameter table: by name and type, "example.org A" for instance; what is not in it does not exist.
    init(_ table: [String: [Record]]) throws {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        port = try bindLoopback(descriptor, ipv6: false, port: 0)
        let descriptor = descriptor
        Thread.detachNewThread { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                var from = sockaddr_in()
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let count = withUnsafeMutablePointer(to: &from) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        recvfrom(descriptor, &buffer, buffer.count, 0, $0, &size)
                    }
                }
                guard count > 12 else { break }
                guard let reply = self?.reply(Array(buffer[..<count]), table) else { continue }
                _ = withUnsafePointer(to: &from) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        sendto(descriptor, reply, reply.count, 0, $0, size)
                    }
                }
            }
            close(descriptor)
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// "name TYPE" of each question so far.
    var questions: [String] { asked.withLock { $0 } }

    private func reply(_ query: [UInt8], _ table: [String: [Record]]) -> [UInt8]? {
        var labels: [String] = []
        var index = 12
        while query[index] != 0 {
            labels.append(String(decoding: query[(index + 1)...(index + Int(query[index]))], as: UTF8.self))
            index += Int(query[index]) + 1
        }
        let type = Int(query[index + 1]) << 8 | Int(query[index + 2])
        let kind = [1: "A", 28: "AAAA", 33: "SRV"][type] ?? String(type)
        let key = labels.joined(separator: ".") + " " + kind
        asked.withLock { $0.append(key) }
        let records = table[key] ?? []
        var answers: [[UInt8]] = []
        var code: UInt8 = records.isEmpty ? 3 : 0
        for record in records {
            switch record {
            case .silence: return nil
            case .failure: code = 2
            case .garbage: return Array(query[..<2]) + [0x81, 0x80, 0, 1, 0, 9, 0, 0, 0, 0, 0xc0, 0x0c]
            case .a(let bytes), .aaaa(let bytes): answers.append(bytes)
            case .srv(let priority, let weight, let port, let target):
                answers.append([priority, weight, port].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } + name(target))
            }
        }
        let header = Array(query[..<2]) + [0x81, 0x80 | code, 0, 1, 0, UInt8(answers.count), 0, 0, 0, 0]
        return answers.reduce(header + query[12...(index + 4)]) { reply, data in
            reply + [0xc0, 0x0c, 0, UInt8(type), 0, 1, 0, 0, 0, 60, UInt8(data.count >> 8), UInt8(data.count & 255)]
                + data
        }
    }

    private func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }
}
