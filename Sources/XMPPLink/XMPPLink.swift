package import Application
package import Base
package import Domain

/// An account's connection. Until the stream is wired in, every attempt fails as unreachable.
package struct XMPPLink: LinkPort {
    package init(log: Log) {}
    package func connect(_ account: LinkAccount, sink: any LinkSink) async throws(Failure) -> LinkSummary {
        throw Failure(.netUnreachable)
    }
    package func submit(_ stanzas: [OutgoingStanza]) async throws(Failure) { throw Failure(.netOffline) }
    package func send(_ courtesy: Courtesy) async {}
    package func archivePage(_ query: ArchiveQuery) async throws(Failure) -> ArchivePage { throw Failure(.netOffline) }
    package func addContact(_ jid: JID) async throws(Failure) { throw Failure(.netOffline) }
    package func disconnect() async {}
}
