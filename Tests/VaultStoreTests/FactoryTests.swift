import Application
import Base
import Testing

@testable import VaultStore

extension VaultStoreTests {
    @Suite struct FactoryTests {
        /// Every value that a value holds, however deep, by its type's name.
        private func reachable(_ value: Any, depth: Int = 0) -> [Any] {
            guard depth < 12 else { return [] }
            return [value] + Mirror(reflecting: value).children.flatMap { reachable($0.value, depth: depth + 1) }
        }

        @Test("Invariant 1: the decoy's factory reaches no handle to the inner region, nor the real's to the outer")
        func handles() async throws {
            let disk = try await VaultOnDisk.withBoth()
            guard case .decoy(let decoy) = try await disk.unlock("outer"),
                case .real(let real) = try await disk.unlock("inner")
            else {
                Issue.record("the roles are wrong")
                return
            }
            #expect(decoy is DecoySpaceFactory)
            #expect(real is RealSpaceFactory)
            let ofDecoy = reachable(decoy)
            let ofReal = reachable(real)
            #expect(ofDecoy.compactMap { ($0 as? RegionAccess)?.region } == [0])
            #expect(ofReal.compactMap { ($0 as? RegionAccess)?.region } == [1])
            #expect(ofDecoy.compactMap { ($0 as? OwnSlots)?.places } == [0..<4])
            #expect(ofReal.compactMap { ($0 as? OwnSlots)?.places } == [4..<8])
            #expect(ofReal.allSatisfy { !($0 is OuterCommands) })
        }

        @Test("A vault with one space answers decoy, with the same bytes laid out as one with two")
        func oneOrTwo() async throws {
            let one = try VaultOnDisk.made()
            let two = try await VaultOnDisk.withBoth()
            try await one.open("outer").close()
            #expect(one.bytes.count == two.bytes.count)
            // Invariant 3, coarsely: the inner half's slots and key pages are as even with a space as without.
            for disk in [one, two] {
                let bytes = disk.bytes
                let sample = Array(bytes[10240..<12288]) + Array(bytes[49152..<81920])
                var counts = [Double](repeating: 0, count: 256)
                for byte in sample { counts[Int(byte)] += 1 }
                let expected = Double(sample.count) / 256
                let chiSquare = counts.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
                // 255 degrees of freedom: mean 255, standard deviation 22.6; seven of them.
                #expect((97...413).contains(chiSquare))
            }
        }

        @Test("Closing twice is as good as once, and a closed space answers command.notActive")
        func closed() async throws {
            let disk = try VaultOnDisk.made()
            let space = try await disk.open("outer")
            await space.close()
            await space.close()
            await #expect(throws: Failure(.commandNotActive)) { _ = try await space.profiles() }
            await #expect(throws: Failure(.commandNotActive)) {
                try await space.addSpace(passcode: secret("x"), weak: .allowed)
            }
        }
    }
}
