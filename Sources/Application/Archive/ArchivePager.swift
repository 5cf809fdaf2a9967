package import Base
package import Domain

/// Asks for archive pages one at a time, as a link wants it, whoever asks: catching up, settling, scrolling back.
package struct ArchivePager: Sendable {
    private let link: any LinkPort
    private let gate = SerialGate()

    package init(link: any LinkPort) { self.link = link }

    /// Throws what `LinkPort.archivePage` does.
    package func page(_ query: ArchiveQuery) async throws(Failure) -> ArchivePage {
        await gate.enter()
        defer { gate.leave() }
        return try await link.archivePage(query)
    }
}
