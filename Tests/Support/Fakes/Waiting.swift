/// Gives other tasks a turn until `condition` holds; false when it does not within ten seconds.
package func becomesTrue(_ condition: @Sendable () async -> Bool) async -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(10)
    while clock.now < end {
        if await condition() { return true }
        await Task.yield()
    }
    return await condition()
}

/// Gives other tasks many turns, for what must not happen.
package func letOthersRun() async {
    for _ in 0..<400 { await Task.yield() }
}
