import Application
import Base
import CommandLine
import Terminal

/// The loop: inputs in, one after the other; the model moves, effects start, the screen shows the model.
struct Program {
    let runner: EffectRunner
    let keyboard: TerminalReader
    let writer: ScreenWriter
    let time: TimeSource
    /// The events that the command `wait` looks through.
    let heard: EventQueue
    let inputs: InputQueue

    /// Runs until the model ends.
    func run(_ start: Model, events: AsyncStream<[AppEvent]>, lockRequests: AsyncStream<Void>) async -> ScreenEnd {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await batch in events {
                    for event in batch { inputs.send(.app(event)) }
                    await heard.add(batch.compactMap { JSON.event($0) })
                }
            }
            group.addTask { for await _ in lockRequests { inputs.send(.lockWanted) } }
            group.addTask { await tick() }
            let (lanes, feeds) = makeLanes()
            for lane in lanes { group.addTask { for await effect in lane { await runner.run(effect) } } }
            defer {
                for feed in feeds.values { feed.finish() }
                group.cancelAll()
            }
            return await loop(start, feeds, &group)
        }
    }

    private func loop(
        _ start: Model, _ feeds: [Lane: AsyncStream<Effect>.Continuation], _ group: inout TaskGroup<Void>
    ) async -> ScreenEnd {
        var model = start
        let loads = LoadLane(runner: runner)
        var isSecret: Bool?
        var effects = model.firstEffects
        var reader = inputs.reader()
        while true {
            // Before anything else: no byte of a secret may become a key.
            if isSecret != model.wantsSecret {
                isSecret = model.wantsSecret
                model.wantsSecret ? keyboard.beginSecret() : keyboard.endSecret()
            }
            for effect in effects {
                if case .end(let end) = effect { return end }
                if let lane = Lane(effect) {
                    feeds[lane]?.yield(effect)
                } else if case .load(let load) = effect {
                    group.addTask { await loads.run(load) }
                } else {
                    group.addTask { await runner.run(effect) }
                }
            }
            await writer.show(model.render(), all: effects.contains(.redraw))
            guard let input = await reader.next() else { return .hungUp }
            effects = model.update(input)
        }
    }

    private func makeLanes() -> ([AsyncStream<Effect>], [Lane: AsyncStream<Effect>.Continuation]) {
        var streams: [AsyncStream<Effect>] = []
        var feeds: [Lane: AsyncStream<Effect>.Continuation] = [:]
        for lane in Lane.allCases {
            // A person types them: far fewer than the bound wait at any time.
            let (stream, feed) = AsyncStream.makeStream(of: Effect.self, bufferingPolicy: .bufferingOldest(10_000))
            streams.append(stream)
            feeds[lane] = feed
        }
        return (streams, feeds)
    }

    private func tick() async {
        while !Task.isCancelled {
            inputs.send(.tick(time.now(), boottime: time.boottime()))
            do { try await time.sleep(1_000) } catch { return }
        }
    }
}

/// Runs loads, each at most once at a time.
private actor LoadLane {
    private let runner: EffectRunner
    private var loads = RunningLoads()

    init(runner: EffectRunner) { self.runner = runner }

    func run(_ load: Load) async {
        guard loads.begin(load) else { return }
        repeat { await runner.run(.load(load)) } while loads.end(load)
    }
}
