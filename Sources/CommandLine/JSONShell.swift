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
        await shell.serve(
            greet: { await write(JSON.members(["event": .string("unlocked")])) },
            tell: { _, json in await write(json) }, commands: serve)
        return 0
    }

    private func serve() async {
        var id = 0
        while true {
            let words: Result<[String], Failure>
            switch await shell.input.next() {
            case .end: return
            case .tooLong: words = .failure(Failure(.commandTooLong))
            case .notUTF8: words = .failure(Failure(.inputInvalid))
            case .line(let line):
                if line.unicodeScalars.allSatisfy({ [" ", "\t", "\r"].contains($0) }) || line.hasPrefix("#") {
                    continue
                }
                words = Result { () throws(Failure) in try shellWords(line) }
            }
            id += 1
            guard await answer(words, id: id) else { return }
        }
    }

    /// False where the session is to end.
    private func answer(_ words: Result<[String], Failure>, id: Int) async -> Bool {
        do throws(Failure) {
            switch try await shell.interpreter.run(try parseCommand(try words.get())) {
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
