/// A Python program of `Tests/Fixtures`: JSON lines out, lines in, ends and cleans up at the end of its input.
package struct Fixture: Sendable {
    private let process: ChildProcess

    fileprivate init(_ script: String, _ arguments: [String]) throws {
        process = try ChildProcess(Checkout.python, [Checkout.fixtures + "/" + script] + arguments)
    }

    /// The first line that fits and that nobody has taken.
    package func next(
        _ what: String, within seconds: Double = 10, where fits: @escaping @Sendable (JSON) -> Bool
    ) async throws -> JSON {
        do {
            return try await process.output.nextJSON(what, within: seconds, where: fits)
        } catch {
            throw Missed("\(what)\n\(error)", process.errors.transcript)
        }
    }

    /// The lines so far that fit and that nobody has taken, taken now.
    package func taken(where fits: (JSON) -> Bool) -> [JSON] {
        process.output.taken { line in (try? JSON(parsing: line)).map(fits) ?? false }
            .compactMap { try? JSON(parsing: $0) }
    }

    package func write(_ line: String) { process.write(line: line) }

    /// Ends it, the clean way.
    fileprivate func stop() async throws {
        process.closeInput()
        _ = try await process.ended(within: 15)
    }
}

/// Runs `body` while the fixture runs, and stops it whatever happens.
package func withFixture<Result>(
    _ script: String, _ arguments: [String], _ body: (Fixture) async throws -> Result
) async throws -> Result {
    let fixture = try Fixture(script, arguments)
    let result: Result
    do {
        result = try await body(fixture)
    } catch {
        try? await fixture.stop()
        throw error
    }
    try await fixture.stop()
    return result
}
