import Application
import Base
import CommandLine
import Domain

/// Runs what a person types after `/`: the shell's commands, by the shell's interpreter.
struct CommandRunner: Sendable {
    let interpreter: Interpreter

    /// - Parameter line: without the slash.
    func run(_ line: String) async -> CommandAnswer {
        do throws(Failure) {
            let words = try shellWords(line)
            let command = try parseCommand(words)
            switch command {
            case .help(nil): return .help
            case .search(let text): return .search(text)
            case .history(let chat, _, _): return .open(chat)
            default: break
            }
            switch try await interpreter.run(command) {
            case .locked: return .ended(.locked)
            case .quit: return .ended(.quit)
            case .done(let result):
                if case .contactAdd(let jid) = command { return .open(jid) }
                return .lines(title: "/" + words.prefix(2).joined(separator: " "), AnswerLines.of(result))
            }
        } catch {
            return .failed(error)
        }
    }
}

/// An interpreter's answer in lines for a person.
enum AnswerLines {
    /// One line a member or list entry; none for an empty answer.
    static func of(_ result: JSON) -> [String] {
        guard case .object(let members) = result else { return [text(result)] }
        return members.flatMap { member -> [String] in
            switch member.value {
            case .array(let entries): entries.isEmpty ? ["Nothing."] : entries.map { text($0) }
            case .object: [text(member.value)]
            case .null, .bool, .number, .string: ["\(member.key): \(text(member.value))"]
            }
        }
    }

    private static func text(_ value: JSON) -> String {
        switch value {
        case .null: ""
        case .bool(let value): value ? "yes" : "no"
        case .number(let value): String(value)
        case .string(let text): text
        case .array(let values): values.map { text($0) }.joined(separator: ", ")
        case .object(let members): members.map { "\($0.key) \(text($0.value))" }.joined(separator: "  ")
        }
    }
}
