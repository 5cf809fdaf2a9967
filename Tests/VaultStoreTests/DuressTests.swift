import Application
import Base
import Domain
import Testing

@testable import VaultStore

extension VaultStoreTests {
    @Suite struct DuressTests {
        /// A vault with an armed duress passcode.
        private static func armed(inner: Bool, duress: String = "help me out") async throws -> VaultOnDisk {
            let disk = try inner ? await VaultOnDisk.withBoth() : VaultOnDisk.made()
            try await disk.arm(duress)
            return disk
        }

        @Test("Entered, it opens the outer space and the inner one is gone; then it is an ordinary outer passcode")
        func entered() async throws {
            let disk = try await Self.armed(inner: true)
            let before = disk.bytes
            #expect(try await disk.role("help me out") == .decoy)
            let after = disk.bytes
            for place in 4..<8 {
                let range = 8192 + place * 512..<8192 + (place + 1) * 512
                #expect(after[range] != before[range], "place \(place)")
            }
            // The root key was nowhere else: key pages and slices are noise as they are.
            #expect(after[49152..<81920] == before[49152..<81920])
            #expect(try await disk.role("inner") == .invalid)
            #expect(try await disk.role("outer") == .decoy)
            let slots = disk.bytes[10240..<12288]
            #expect(try await disk.role("help me out") == .decoy)
            #expect(disk.bytes[10240..<12288] == slots, "an ordinary passcode destroys nothing")
        }

        @Test("Off by default, and armed or entered without an inner space it is the same")
        func withoutInner() async throws {
            let disk = try await Self.armed(inner: false)
            #expect(try await disk.role("outer") == .decoy)
            #expect(try await disk.role("help me out") == .decoy)
            #expect(try await disk.role("outer") == .decoy)
            let plain = try VaultOnDisk.made()
            #expect(try await plain.role("help me out") == .invalid)
        }

        @Test(
            "Invariant 2: duress takes the calls, sizes and order of every other attempt, with or without an inner space"
        )
        func uniform() async throws {
            var shapes: Set<[Shape]> = []
            for hasInner in [true, false] {
                for passcode in ["outer", "wrong", "help me out"] + (hasInner ? ["inner"] : []) {
                    let disk = try await Self.armed(inner: hasInner)
                    let vault = disk.vault()
                    try await vault.ready()
                    let operations = try await disk.recorder.record {
                        switch try await vault.unlock(passcode: secret(passcode)) {
                        case .real(let factory), .decoy(let factory): try await factory.open().close()
                        case .invalid: break
                        }
                    }
                    // Up to the second write for all; what follows is the space's, which reads its key page first.
                    let attempt = operations.map(Shape.init).prefix { shape in
                        if case .read(let offset, _) = shape { offset < 16384 } else { true }
                    }
                    shapes.insert(Array(attempt))
                }
            }
            let write = { (offset: Int64) in Shape.write(offset: offset, count: 4096) }
            #expect(
                shapes == [
                    [
                        write(4096), .sync, write(0), .sync,
                        write(4096), write(8192), .sync, write(0), write(8192), .sync,
                    ]
                ])
        }

        @Test("What follows a duress unlock is what follows any other of the outer space")
        func afterwards() async throws {
            var shapes: [[Shape]] = []
            for passcode in ["outer", "help me out"] {
                let disk = try await Self.armed(inner: true)
                let operations = try await disk.recorder.record {
                    let role = try await disk.role(passcode)
                    #expect(role == .decoy)
                }
                shapes.append(operations.map(Shape.init))
            }
            #expect(shapes[0] == shapes[1])
        }

        @Test("Inner wins over outer, outer over duress, and then nothing is destroyed")
        func precedence() async throws {
            var disk = try await VaultOnDisk.withBoth()
            try await disk.arm("inner")
            #expect(try await disk.role("inner") == .real)
            #expect(try await disk.role("inner") == .real)

            disk = try await Self.armed(inner: true)
            // By the port it cannot be set to the present passcode, so here by hand.
            let region = try RegionTests.region(disk)
            let places = region.page.places
            #expect(places.count { $0 == .inUse } == 2)
            let header = try VaultHeader(reading: VaultFile(descriptor: disk.descriptor))
            let source = MasterKeySource(protector: SoftwareProtector(), hasMemory: { _ in true })
            let master = try source.derive(secret("outer"), page: header.page)
            let slots = OwnSlots(header: header, region: 0, entropy: .system)
            var own: Int?
            for place in places.indices where try slots.opens(place, master: master) { own = place }
            let reserve = try #require(places.indices.first { $0 != own && places[$0] == .inUse })
            try slots.write(
                SlotContent(rootKey: Entropy.system.secret(32), kind: .duress), place: reserve, master: master)
            #expect(try await disk.role("outer") == .decoy)
            #expect(try await disk.role("inner") == .real)
        }

        @Test("A duress slot in the inner half opens nothing")
        func innerHalf() throws {
            let disk = try VaultOnDisk.made()
            let header = try VaultHeader(reading: VaultFile(descriptor: disk.descriptor))
            let cipher = SlotCipher(master: secret(numbers(1, 32)), binding: header.page.binding)
            let payload = SecretBytes(count: SlotCipher.contentSize) { $0.copyBytes(from: [1, 2, 1, 1]) }
            var page = SlotPage(random: .system)
            page.replace(5, with: cipher.seal(payload: payload, place: 5, entropy: .system))
            var opens = cipher.opens(5, of: page)
            #expect(!opens)
            page.replace(5, with: cipher.seal(SlotContent(rootKey: secret(numbers(1, 32))), place: 5, entropy: .system))
            opens = cipher.opens(5, of: page)
            #expect(opens)
        }

        @Test("It works in the outer space only: space.notHere, and nothing is written")
        func inner() async throws {
            let disk = try await VaultOnDisk.withBoth()
            let space = try await disk.open("inner")
            let before = disk.bytes
            await #expect(throws: Failure(.spaceNotHere)) { try await space.requireOuter() }
            await #expect(throws: Failure(.spaceNotHere)) { try await space.disarmDuress() }
            await #expect(throws: Failure(.spaceNotHere)) {
                try await space.armDuress(current: secret("inner"), new: secret("help me out"), weak: .allowed)
            }
            #expect(disk.bytes == before)
            await space.close()
            let outer = try await disk.open("outer")
            try await outer.requireOuter()
            await outer.close()
        }

        @Test(
            "What cannot be a duress passcode is refused and writes nothing",
            arguments: [
                ("wrong", "help me out", .allowed, .unlockInvalid), ("inner", "help me out", .allowed, .unlockInvalid),
                ("outer", "", .allowed, .passcodeEmpty), ("outer", "a\tb", .allowed, .passcodeInvalid),
                ("outer", "letmein99", .refused, .passcodeWeak), ("outer", "outer", .allowed, .passcodeSimilar),
                ("outer", "Outre", .allowed, .passcodeSimilar), ("outer", "щгеук", .allowed, .passcodeSimilar),
            ] as [(String, String, WeakPasscode, ErrorCode)])
        func refused(current: String, new: String, weak: WeakPasscode, code: ErrorCode) async throws {
            let disk = try await VaultOnDisk.withBoth()
            let space = try await disk.open("outer")
            let before = disk.bytes
            let error = await #expect(throws: Failure.self) {
                try await space.armDuress(current: secret(current), new: secret(new), weak: weak)
            }
            #expect(error?.code == code)
            #expect(disk.bytes == before)
            await space.close()
        }

        /// What one does to a vault with a duress passcode, and whether that still destroys.
        @Test(
            "What ends a duress passcode and what does not",
            arguments: [
                ("nothing", true), ("outer passcode change", false), ("inner passcode change", true),
                ("space add", true), ("grow", true), ("off", false), ("again", false), ("wrong passcodes", true),
            ])
        func whileArmed(action: String, remains: Bool) async throws {
            let disk = try await Self.armed(inner: true)
            let space = try await disk.open(action == "inner passcode change" ? "inner" : "outer")
            var innerPasscode = "inner"
            switch action {
            case "outer passcode change":
                try await space.changePasscode(current: secret("outer"), new: secret("changed"), weak: .allowed)
            case "inner passcode change":
                try await space.changePasscode(current: secret("inner"), new: secret("third"), weak: .allowed)
                innerPasscode = "third"
            case "space add":
                try await space.addSpace(passcode: secret("third"), weak: .allowed)
                innerPasscode = "third"
            case "grow": try await space.grow(.by(2 << 20)) { _, _ in }
            case "off": try await space.disarmDuress()
            case "again":
                try await space.armDuress(current: secret("outer"), new: secret("another one"), weak: .allowed)
            default: break
            }
            await space.close()
            if action == "wrong passcodes" {
                for _ in 0..<3 { #expect(try await disk.role("wrong") == .invalid) }
            }
            #expect(try await disk.role(innerPasscode) == .real)
            #expect(try await disk.role("help me out") == (remains ? .decoy : .invalid))
            #expect(try await disk.role(innerPasscode) == (remains ? .invalid : .real))
            if action == "again" {
                #expect(try await disk.role("another one") == .decoy)
                #expect(try await disk.role(innerPasscode) == .invalid)
            }
        }

        @Test(
            "A second space gets no passcode that opens the first, plain or duress: it could never do so again",
            arguments: ["outer", "help me out"])
        func takenForSecondSpace(passcode: String) async throws {
            let disk = try await Self.armed(inner: true)
            let space = try await disk.open("outer")
            await #expect(throws: Failure(.passcodeTaken)) {
                try await space.addSpace(passcode: secret(passcode), weak: .allowed)
            }
            await space.close()
            #expect(try await disk.role("inner") == .real)
            #expect(try await disk.role(passcode) == .decoy)
        }

        @Test(
            "An entered duress passcode ends with duress off, duress on or a passcode change",
            arguments: ["off", "on", "change"])
        func afterwardsEnded(action: String) async throws {
            let disk = try await Self.armed(inner: true)
            #expect(try await disk.role("help me out") == .decoy)
            let space = try await disk.open("outer")
            switch action {
            case "off": try await space.disarmDuress()
            case "on": try await space.armDuress(current: secret("outer"), new: secret("another one"), weak: .allowed)
            default: try await space.changePasscode(current: secret("outer"), new: secret("changed"), weak: .allowed)
            }
            await space.close()
            #expect(try await disk.role("help me out") == .invalid)
            #expect(try await disk.role(action == "change" ? "changed" : "outer") == .decoy)
        }

        @Test("Who opened the space by the duress passcode changes that one, and it is the only one then")
        func changedByDuress() async throws {
            let disk = try await Self.armed(inner: true)
            let space = try await disk.open("help me out")
            await #expect(throws: Failure(.unlockInvalid)) {
                try await space.changePasscode(current: secret("outer"), new: secret("x"), weak: .allowed)
            }
            try await space.changePasscode(current: secret("help me out"), new: secret("changed"), weak: .allowed)
            await space.close()
            #expect(try await disk.role("changed") == .decoy)
            #expect(try await disk.role("outer") == .invalid)
            #expect(try await disk.role("help me out") == .invalid)
        }

        @Test("Arming, disarming and entering change nothing of the key page and the slices")
        func keyPage() async throws {
            let disk = try await VaultOnDisk.withBoth()
            let space = try await disk.open("outer")
            let before = disk.bytes
            try await space.armDuress(current: secret("outer"), new: secret("help me out"), weak: .allowed)
            #expect(disk.bytes[12288...] == before[12288...])
            #expect(disk.bytes[..<8192] == before[..<8192])
            try await space.disarmDuress()
            #expect(disk.bytes[12288...] == before[12288...])
            try await space.disarmDuress()
            await space.close()
        }

        @Test("A duress unlock killed anywhere leaves the outer space whole, and the inner one whole or destroyed")
        func killed() async throws {
            let scene = try await Scene.both()
            try await scene.disk.arm("help me out")
            let operations = try await scene.disk.recorder.record { _ = try await scene.disk.unlock("help me out") }
            try await scene.replay(operations) { (disk) async throws in
                #expect(try await scene.holds(.outer, passcode: "outer", on: disk))
                _ = try await scene.holds(.inner, passcode: "inner", on: disk)
                // It ends the work, or has ended it: nothing of the inner space is left behind a torn page.
                #expect(try await scene.holds(.outer, passcode: "help me out", on: disk))
                #expect(try await !scene.holds(.inner, passcode: "inner", on: disk))
                #expect(try await scene.holds(.outer, passcode: "outer", on: disk))
            }
        }

        @Test("Arming killed anywhere leaves every space whole, and the passcode armed or not")
        func armingKilled() async throws {
            let scene = try await Scene.both()
            let operations = try await scene.record("outer") { space in
                try await space.armDuress(current: secret("outer"), new: secret("help me out"), weak: .allowed)
            }
            try await scene.replay(operations) { (disk) async throws in
                #expect(try await scene.holds(.inner, passcode: "inner", on: disk))
                #expect(try await scene.holds(.outer, passcode: "outer", on: disk))
                let isArmed = try await scene.holds(.outer, passcode: "help me out", on: disk)
                #expect(try await scene.holds(.inner, passcode: "inner", on: disk) == !isArmed)
            }
        }
    }
}

extension VaultOnDisk {
    /// Sets a duress passcode from the outer space.
    func arm(_ passcode: String, outer: String = "outer") async throws {
        let space = try await open(outer)
        try await space.armDuress(current: secret(outer), new: secret(passcode), weak: .allowed)
        await space.close()
    }
}
