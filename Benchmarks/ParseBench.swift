import Base
import Domain
import XMPP
import XMPPLink

/// Plain message stanzas from the bytes of an established stream, in pieces of 16 KiB as a socket gives them, to typed
/// values: to `MessageStanza`, whose yardstick is `Tests/Fixtures/peer/measure.py parse`, and on to `InboundMessage`, which
/// is what the link hands to the inbox. Prints stanzas a second of both.
func parseBench() throws {
    let count = 100_000
    var bytes: [UInt8] = []
    for index in 0..<count {
        bytes += Array(
            ("<message from='b@xmpp.test/y' to='a@xmpp.test/x' id='\(index)' type='chat'>"
                + "<body>hello world \(index)</body></message>").utf8)
    }
    let stanzas = try rate(of: bytes, count) { $0.body != nil }
    let translation = MessageTranslation(account: try JID("a@xmpp.test"), trustsArchiveIDs: true)
    let events = try rate(of: bytes, count) { translation.live($0)?.body != nil }
    print("parse: \(stanzas) stanzas/s, \(events) inbound messages/s")
}

/// - Parameter take: what is done with each stanza; false for one that is not as expected.
private func rate(of bytes: [UInt8], _ count: Int, _ take: (MessageStanza) -> Bool) throws -> Int {
    var stream = try establishedStream()
    var seen = 0
    let start = seconds()
    for offset in stride(from: 0, to: bytes.count, by: 16384) {
        for action in stream.receive(Array(bytes[offset..<min(offset + 16384, bytes.count)])) {
            if case .stanza(.message(let message), _) = action, take(message) { seen += 1 }
        }
    }
    let rate = Double(seen) / (seconds() - start)
    guard seen == count else { throw Failure(.internalFault) }
    return Int(rate)
}
