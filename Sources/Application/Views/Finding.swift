/// What `doctor` found out about one matter of this machine. Nothing in it is about a space.
package struct Finding: Sendable, Equatable {
    package enum Level: String, Sendable, Comparable {
        case ok, note, warn
        package static func < (a: Level, b: Level) -> Bool { a.rank < b.rank }
        private var rank: Int {
            switch self {
            case .ok: 0
            case .note: 1
            case .warn: 2
            }
        }
    }

    /// Stable names, for programs; the order of the report.
    package enum Topic: String, Sendable, CaseIterable {
        case libraries, sandbox, memory, swap, hibernation, cores, locking, files, fileSystem, terminal, clock
    }

    package let topic: Topic
    package let level: Level
    /// One line for a person.
    package let text: String
    /// What to do about it; nil where there is nothing to do.
    package let advice: String?

    package init(_ topic: Topic, _ level: Level, _ text: String, advice: String? = nil) {
        self.topic = topic
        self.level = level
        self.text = text
        self.advice = advice
    }
}
