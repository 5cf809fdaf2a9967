/// Gives other tasks time until `condition` holds; false when it does not within thirty seconds.
package func becomesTrue(_ condition: @Sendable () async -> Bool) async -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(30)
    for _ in 0..<50 {
        if await condition() { return true }
        await Task.yield()
    }
    while clock.now < end {
        if await condition() { return true }
        // Looking again at once would take the processor from what is waited for.
        try? await Task.sleep(for: .milliseconds(1))
    }
    return await condition()
}

/// Gives other tasks many turns, for what must not happen.
package func letOthersRun() async {
    for _ in 0..<400 { await Task.yield() }
}
