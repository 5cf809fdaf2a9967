import Application
import Base
import Support
import Synchronization
import Testing

@Suite("The heartbeat")
struct HeartbeatTests {
    private final class Beats: Sendable {
        let count = Mutex(0)
        let lines = Mutex<[String]>([])
        let failure = Mutex<Failure?>(nil)
    }

    private func start(_ beats: Beats, clock: ManualClock, entropy: Entropy = .counting()) -> Task<Void, Never> {
        let vault = FakeVault()
        vault.hook { (step) throws(Failure) in
            guard step == .touch else { return }
            beats.count.withLock { $0 += 1 }
            if let failure = beats.failure.withLock({ $0 }) { throw failure }
        }
        let log = Log(area: "test") { line in beats.lines.withLock { $0.append(line) } }
        let heartbeat = Heartbeat(vault: vault, time: clock.source, entropy: entropy, log: log)
        return Task { await heartbeat.run() }
    }

    @Test("It beats every 45 to 75 seconds, each time after another while, until it is cancelled")
    func beats() async throws {
        let beats = Beats()
        let clock = ManualClock()
        let task = start(beats, clock: clock)
        var pauses: Set<Int64> = []
        for beat in 1...20 {
            #expect(await becomesTrue { clock.sleepers == 1 })
            #expect(beats.count.withLock { $0 } == beat - 1)
            clock.advance(milliseconds: 44_999)
            #expect(clock.sleepers == 1)
            var pause: Int64 = 44_999
            while clock.sleepers == 1, beats.count.withLock({ $0 }) == beat - 1, pause < 75_000 {
                clock.advance(milliseconds: 1)
                pause += 1
            }
            pauses.insert(pause)
            #expect(await becomesTrue { beats.count.withLock { $0 } == beat })
        }
        #expect(pauses.allSatisfy { (45_000...75_000).contains($0) })
        #expect(pauses.count > 15)
        task.cancel()
        await task.value
    }

    @Test("A disk that refuses is named once, and tried again; a second time only after it has recovered")
    func refusing() async throws {
        let beats = Beats()
        let clock = ManualClock()
        let task = start(beats, clock: clock)
        for (beat, failure) in [
            Failure(.storageReadOnly), Failure(.storageReadOnly), nil, nil, Failure(.storageDiskFull),
        ]
        .enumerated() {
            #expect(await becomesTrue { clock.sleepers == 1 })
            beats.failure.withLock { $0 = failure }
            clock.advance(milliseconds: 75_000)
            #expect(await becomesTrue { beats.count.withLock { $0 } == beat + 1 })
        }
        #expect(await becomesTrue { clock.sleepers == 1 })
        let lines = beats.lines.withLock { $0 }
        #expect(lines.count == 2)
        #expect(lines.first?.contains("storage.readOnly") == true)
        #expect(lines.last?.contains("storage.diskFull") == true)
        task.cancel()
        await task.value
    }
}
