/// Values of class S2 to S4. Printing, interpolating or reflecting one shows nothing of it, and it must not be `Codable`.
package protocol Sensitive: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Sensitive {
    package var description: String { "‹private›" }
    package var debugDescription: String { "‹private›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
