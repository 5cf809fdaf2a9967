import Application
import Base
import Support
import Testing

@testable import ProfileStore

@Suite struct ContractTests {
    @Test("The database obeys every law of a store", arguments: StoreLaw.all)
    func database(law: StoreLaw) async throws {
        let fixture = try StoreFixture()
        try await law.check(fixture.newStore())
    }

    @Test("The stand-in in memory obeys the same laws", arguments: StoreLaw.all)
    func standIn(law: StoreLaw) async throws {
        try await law.check(MemoryProfileStore())
    }
}
