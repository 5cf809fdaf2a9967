import Domain
import Foundation
import Support
import Testing

@testable import VaultStore

extension VaultStoreTests {
    /// The whole program, recorded below everything, ended anywhere.
    @Suite(.timeLimit(.minutes(240))) struct ProgramReplayTests {
        /// What a command that succeeds changes.
        private enum Effect {
            case none
            case send(String, in: String)
            case add(String)
            case remove(String)
            case passcode(String)
        }

        /// What is in the outer space, and what opens it.
        private struct Model: Equatable {
            var passcode = "outer"
            var content = Furnished.outer

            mutating func apply(_ effect: Effect) {
                switch effect {
                case .none: break
                case .send(let text, let profile): content.profiles[profile]?.append(text)
                case .add(let name): content.profiles[name] = []
                case .remove(let name): content.profiles[name] = nil
                case .passcode(let new): passcode = new
                }
            }
        }

        @Test("A session of the program, ended anywhere: what it answered is there, and both spaces open")
        func session() async throws {
            // A release program takes the one true stretching only, which then takes its time at each look.
            let isRelease = Checkout.program.contains("release")
            let budget = isRelease ? min(max(ReplayTests.budget / 3, 4), 400) : ReplayTests.budget
            let base = try await Furnished.vault(slices: 30, kdf: isRelease ? .standard : .testing).bytes
            let plan = Self.plan()
            let program = try RecordedProgram(vault: base)
            let shell = try program.start(passcodes: ["outer", "outer", "changed"], passwords: ["secret"])
            try await shell.unlocked()
            for (command, _) in plan { try await shell.result(command) }
            #expect(try await shell.quit() == .exit(0))

            var models = [Model()]
            for (_, effect) in plan {
                var next = models[models.count - 1]
                next.apply(effect)
                models.append(next)
            }
            let cut = try PowerCut(try program.recording(), from: base, seed: 1)
            try await cut.run(budget: budget) { (disk, notes) async throws in
                let answered = RecordedProgram.answered(notes)
                // What was under way may be done already.
                let allowed = models[answered...min(answered + 1, models.count - 1)]
                var found: [Model] = []
                for passcode in ["outer", "changed"] {
                    if let content = try await Furnished.look(passcode, on: disk, as: .decoy) {
                        found.append(Model(passcode: passcode, content: content))
                    }
                }
                try hold(found.count == 1, "\(found.count) passcodes open the outer space")
                try hold(allowed.contains(where: found.contains), "after \(answered) answers")
                try await Furnished.expectInner(disk)
            }
            #expect(cut.failures == [])
            #expect(cut.images >= budget)
        }

        private static func plan() -> [(String, Effect)] {
            func send(_ text: String, _ profile: String) -> (String, Effect) {
                ("send \(Furnished.friend) '\(text)' --plain", .send(text, in: profile))
            }
            let long = String(repeating: "long words ", count: 4000)
            var plan: [(String, Effect)] = [("profile use home", .none)]
            plan += (0..<8).map { send("short \($0)", "home") }
            plan += (0..<12).map { send("\($0) " + long, "home") }
            plan += [("vault grow +2M --yes", .none)]
            plan += [
                (
                    "profile add extra@example.org --name extra --plain --password-fd 4", .add("extra")
                ),
                ("profile use extra", .none),
            ]
            plan += (0..<4).map { send("extra \($0)", "extra") }
            plan += [
                ("passcode change --allow-weak", .passcode("changed")), ("profile use home", .none),
                ("profile remove extra --yes", .remove("extra")), send("last", "home"),
            ]
            return plan
        }
    }
}
