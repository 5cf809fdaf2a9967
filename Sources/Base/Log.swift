import Synchronization

/// What may be printed into a log: values of class S0, and of S1 where they cannot be linked to a person.
/// Addresses, bodies, keys, paths and secrets do not conform, so logging them does not compile.
package protocol LogSafe: Sendable {
    /// Printable ASCII without line breaks.
    var logText: String { get }
}

extension Int: LogSafe { package var logText: String { String(self) } }
extension Int64: LogSafe { package var logText: String { String(self) } }
extension Bool: LogSafe { package var logText: String { String(self) } }
extension StaticString: LogSafe { package var logText: String { description } }
extension ErrorCode: LogSafe { package var logText: String { rawValue } }

/// How much a line of the log matters, from least to most.
package enum LogLevel: Int, Sendable, Comparable {
    case debug, info, warning, error
    package static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
    var tag: StaticString {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }
}

/// A log of static text and `LogSafe` values. Without a sink (the default) it does nothing.
package struct Log: Sendable {
    package typealias Sink = @Sendable (_ line: String) -> Void
    private let sink: Sink?
    private let area: StaticString
    private let threshold: LogLevel

    /// - Parameters:
    ///   - area: the part of the program, for instance "outbox".
    ///   - sink: takes one finished line without its line break; called on any thread.
    package init(area: StaticString, threshold: LogLevel = .info, sink: Sink?) {
        self.area = area
        self.threshold = threshold
        self.sink = sink
    }

    package static let off = Log(area: "", sink: nil)

    /// The same log under another area's name.
    package func area(_ name: StaticString) -> Log { Log(area: name, threshold: threshold, sink: sink) }

    package func debug(_ text: StaticString, _ values: KeyValuePairs<StaticString, any LogSafe> = [:]) {
        write(.debug, text, values)
    }
    package func info(_ text: StaticString, _ values: KeyValuePairs<StaticString, any LogSafe> = [:]) {
        write(.info, text, values)
    }
    package func warning(_ text: StaticString, _ values: KeyValuePairs<StaticString, any LogSafe> = [:]) {
        write(.warning, text, values)
    }
    package func error(_ text: StaticString, _ values: KeyValuePairs<StaticString, any LogSafe> = [:]) {
        write(.error, text, values)
    }

    private func write(
        _ level: LogLevel, _ text: StaticString, _ values: KeyValuePairs<StaticString, any LogSafe>
    ) {
        guard let sink, level >= threshold else { return }
        var line = "\(level.tag.description) \(area.description): \(text.description)"
        for (key, value) in values { line += " \(key.description)=\(value.logText)" }
        sink(line)
    }
}
