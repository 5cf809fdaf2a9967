package import Base

/// What an ended stream leaves behind, so that the next one can go on with it (XEP-0198, section 5). Class S2: it holds
/// stanzas. It lives in memory only.
package struct ResumableSession: Sensitive, Equatable {
    /// The server's name for the stream.
    let id: String
    package let address: JID
    let stream: UInt32
    let acknowledged: UInt32
    let queue: [StreamManagement.Unacknowledged]
    let handled: UInt64
    /// How often the server was asked to go on with it, and did not answer.
    var attempts = 0

    /// After so many it is given up.
    static let attemptLimit = 2
}
