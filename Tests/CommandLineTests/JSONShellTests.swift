import Application
import Base
import CommandLine
import Domain
import Support
import Testing

@Suite("The shell in JSON lines")
struct JSONShellTests {
    /// Runs a session over these lines, which are all there at once, and returns what it printed.
    private func run(_ lines: [String], isPlain: Bool, isInner: Bool = false) async throws -> (
        answers: [Support.JSON], calls: [FakeServices.Call]
    ) {
        let services = FakeServices(passcode: "p")
        await services.add(
            profile: ProfileSettings(name: try ProfileName("work"), jid: try JID("me@here.example"), isPlain: isPlain))
        if isInner { await services.becomeInner() }
        let output = PrintedLines()
        let shell = LineShell(
            services: services, secrets: OneSecret(), files: NoFiles(), input: LinesAtOnce(lines), output: output,
            time: TimeSource(now: { Timestamp(milliseconds: 0) }, boottime: { 0 }, bootID: { [] }, sleep: { _ in }),
            passcodeDescriptor: nil)
        #expect(await JSONShell(shell).run() == 0)
        let printed = try await output.lines.map { try Support.JSON(parsing: String(decoding: $0, as: UTF8.self)) }
        return (printed.filter { $0["id"] != nil }, await services.calls)
    }

    @Test("Messages that wait together are sent in order, and every line has its answer")
    func together() async throws {
        let (answers, calls) = try await run(
            [
                "# two greetings", "send a@there.example one", "send b@there.example two", "", "chats",
                "send a@there.example", "send a@there.example three",
            ], isPlain: true)
        #expect(answers.map { $0["id"]?.int } == [1, 2, 3, 4, 5])
        #expect(answers.map { $0["ok"]?.bool } == [true, true, true, false, true])
        let ids = [answers[0], answers[1], answers[4]].compactMap { $0["result"]?["id"]?.string }
        #expect(Set(ids).count == 3)
        let sent = calls.compactMap { if case .send(_, let text, _) = $0 { text } else { nil } }
        #expect(sent == ["one", "two", "three"])
    }

    @Test("A duress passcode is warned of and asked for in that order, and only where there may be one")
    func duress() async throws {
        var (answers, calls) = try await run(
            ["duress on", "duress off", "duress on --yes", "duress off --yes"], isPlain: true)
        #expect(answers.map { $0["error"]?["code"]?.string } == ["confirm.required", "confirm.required", nil, nil])
        let warning = answers[0]["error"]?["message"]?.string ?? ""
        for word in ["destroys", "crime", "lawyer", "copy", "--yes"] { #expect(warning.contains(word)) }
        let own: [FakeServices.Call] = [.requireOuter, .armDuress, .disarmDuress]
        #expect(calls.filter(own.contains) == own)
        (answers, calls) = try await run(["duress on --yes"], isPlain: true, isInner: true)
        #expect(answers.map { $0["error"]?["code"]?.string } == ["space.notHere"])
        // Before a passcode was read.
        #expect(calls.filter(own.contains) == [.requireOuter])
    }

    @Test("Where several cannot be stored together each is tried by itself")
    func apart() async throws {
        let (answers, _) = try await run(
            ["send a@there.example one", "send --plain a@there.example two", "history a@there.example"], isPlain: false)
        #expect(answers.map { $0["ok"]?.bool } == [false, true, true])
        #expect(answers[0]["error"]?["code"]?.string == "encryption.required")
        #expect(answers[2]["result"]?["messages"]?.array?.compactMap { $0["body"]?.string } == ["two"])
    }
}

private struct OneSecret: SecretInput {
    func read(_ purpose: SecretPurpose, descriptor: Int32?) async throws(Failure) -> SecretBytes {
        SecretBytes(text: "p")
    }
}

private struct NoFiles: FileOpening {
    func read(path: String, limit: Int) async throws(Failure) -> [UInt8] { throw Failure(.fileUnreadable) }
}

private actor LinesAtOnce: LineSource {
    private var lines: [InputLine]
    init(_ lines: [String]) { self.lines = lines.map { .line($0) } + [.end] }

    func next() -> InputLine { lines.isEmpty ? .end : lines.removeFirst() }

    func nextLines() -> [InputLine] {
        defer { lines = [] }
        return lines.isEmpty ? [.end] : lines
    }
}

private actor PrintedLines: LineSink {
    private(set) var lines: [[UInt8]] = []
    func write(_ line: [UInt8]) -> Bool {
        lines.append(line)
        return true
    }
}
