import Application
import Base

/// The session in JSON lines (Docs/SHELL.md): one command a line, one answer a command, events between.
package struct JSONShell: Sendable {
    private let shell: LineShell

    package init(_ shell: LineShell) { self.shell = shell }

    /// The first line of every JSON session, also of one that ends in an error at once.
    package static func readyLine(version: String) -> [UInt8] {
        JSON.members(["event": .string("ready"), "version": .string(version)]).line
    }

    /// Unlocks and serves commands until `lock`, `quit`, or the end of input. Returns the program's exit code.
    package func run() async -> Int32 {
        do throws(Failure) {
            try await shell.unlock()
        } catch {
            await write(JSON.failure(error, id: 0))
            return error.code.exitCode
        }
        let end = await shell.serve(
            greet: { await write(JSON.members(["event": .string("unlocked")])) },
            tell: { _, events in await shell.output.write(lines: events.map(\.line)) }, commands: serve)
        switch end {
        case .commands: break
        case .idle: await write(JSON.members(["event": .string("locked"), "reason": .string("idle")]))
        case .lockWanted: await write(JSON.members(["event": .string("locked"), "reason": .string("outside")]))
        }
        return 0
    }

    private func serve() async {
        var id = 0
        var lines: ArraySlice<InputLine> = []
        while true {
            if lines.isEmpty {
                lines = await shell.input.nextLines()[...]
                shell.noteActivity()
            }
            guard let line = lines.popFirst(), line != .end else { return }
            guard let command = Self.command(line) else { continue }
            let drafts = Self.drafts(command, &lines)
            if drafts.count > 1, await answer(drafts, id: id + 1) {
                id += drafts.count
                continue
            }
            for command in drafts.count > 1 ? drafts.map(Self.send) : [command] {
                id += 1
                guard await answer(command, id: id) else { return }
            }
        }
    }

    /// nil for a line that is not counted.
    private static func command(_ line: InputLine) -> Result<Command, Failure>? {
        switch line {
        case .end, .interrupt, .suspend: return nil
        case .tooLong: return .failure(Failure(.commandTooLong))
        case .notUTF8: return .failure(Failure(.inputInvalid))
        case .line(let line):
            if line.unicodeScalars.allSatisfy({ [" ", "\t", "\r"].contains($0) }) || line.hasPrefix("#") { return nil }
            return Result { () throws(Failure) in try parseCommand(try shellWords(line)) }
        }
    }

    // MARK: Several messages

    /// A message to send, and those of the lines that are there already and follow it directly: they are stored in one
    /// commit. Takes them off the lines.
    private static func drafts(
        _ command: Result<Command, Failure>, _ lines: inout ArraySlice<InputLine>
    ) -> [MessageDraft] {
        guard var draft = draft(command) else { return [] }
        var drafts = [draft]
        var bytes = draft.body.text.utf8.count
        while drafts.count < 256, let line = lines.first, let next = Self.command(line).flatMap(Self.draft) {
            draft = next
            bytes += draft.body.text.utf8.count
            guard bytes <= 512 * 1024 else { break }
            drafts.append(draft)
            lines.removeFirst()
        }
        return drafts
    }

    private static func draft(_ command: Result<Command, Failure>) -> MessageDraft? {
        guard case .success(.send(let to, let body, let plain)) = command else { return nil }
        return MessageDraft(body: body, to: to, plain: plain)
    }

    private static func send(_ draft: MessageDraft) -> Result<Command, Failure> {
        .success(.send(draft.to, draft.body, plain: draft.plain))
    }

    /// False where it could not be done for all of them: then nothing was, and each gets an answer of its own.
    private func answer(_ drafts: [MessageDraft], id: Int) async -> Bool {
        guard let ids = try? await shell.services.send(drafts) else { return false }
        let answers = ids.enumerated().map { JSON.success(.queued($1), id: id + $0).line }
        await shell.output.write(lines: answers)
        return true
    }

    /// False where the session is to end.
    private func answer(_ command: Result<Command, Failure>, id: Int) async -> Bool {
        do throws(Failure) {
            switch try await shell.interpreter.run(try command.get()) {
            case .done(let result): return await write(JSON.success(result, id: id))
            case .locked, .quit:
                await shell.services.lock()
                await write(JSON.success(.object([]), id: id))
                return false
            }
        } catch {
            return await write(JSON.failure(error, id: id))
        }
    }

    @discardableResult
    private func write(_ json: JSON) async -> Bool { await shell.output.write(json.line) }
}
