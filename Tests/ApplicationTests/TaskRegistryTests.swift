import Application
import Base
import Support
import Testing

struct TaskRegistryTests {
    @Test("Shutting down cancels what runs, waits for it, and takes nothing new")
    func shutdown() async {
        let clock = ManualClock()
        let registry = TaskRegistry(time: clock.source)
        let ended = Counter()
        for _ in 0..<3 {
            registry.start("sleeper") {
                try? await clock.source.sleep(1_000_000)
                ended.add()
            }
        }
        #expect(await registry.shutdown().isEmpty)
        #expect(ended.value == 3)
        #expect(registry.start("late") {} == nil)
    }

    @Test("What does not end is waited for two seconds and named")
    func stubborn() async {
        let clock = ManualClock()
        let registry = TaskRegistry(time: clock.source)
        let (release, continuation) = AsyncStream.makeStream(of: Void.self)
        let released = Counter()
        registry.start("stubborn") {
            // Deaf to cancellation, as a blocking call is.
            await Task.detached { for await _ in release {} }.value
            released.add()
        }
        registry.start("willing") { try? await clock.source.sleep(1_000_000) }
        async let left = registry.shutdown()
        #expect(await becomesTrue { clock.sleepers == 1 })
        clock.advance(milliseconds: 1999)
        await letOthersRun()
        #expect(clock.sleepers == 1)
        clock.advance(milliseconds: 1)
        #expect(await left.map(\.description) == ["stubborn"])
        continuation.finish()
        #expect(await becomesTrue { released.value == 1 })
    }

    @Test("One task is cancelled alone")
    func cancelOne() async {
        let clock = ManualClock()
        let registry = TaskRegistry(time: clock.source)
        let first = registry.start("first") { try? await clock.source.sleep(1000) }
        registry.start("second") { try? await clock.source.sleep(1000) }
        #expect(await becomesTrue { clock.sleepers == 2 })
        if let first { registry.cancel(first) }
        #expect(await becomesTrue { clock.sleepers == 1 })
        #expect(await registry.shutdown().isEmpty)
    }

    @Test("A gate lets one through at a time, in the order they came")
    func gate() async {
        let gate = SerialGate()
        let inside = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await gate.enter()
                    inside.add()
                    await Task.yield()
                    inside.add(-1)
                    gate.leave()
                }
            }
        }
        #expect(inside.most == 1 && inside.value == 0)
    }
}
