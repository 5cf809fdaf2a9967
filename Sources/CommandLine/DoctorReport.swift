package import Application

/// What `postern doctor` prints (Docs/SHELL.md).
package struct DoctorReport: Sendable {
    private let findings: [Finding]

    package init(_ findings: [Finding]) { self.findings = findings }

    /// 0 where nothing is wrong, 1 where something is; a note is nothing wrong.
    package var exitCode: Int32 { findings.contains { $0.level == .warn } ? 1 : 0 }

    /// One line a finding, and one with the next step where there is one.
    package var lines: [String] {
        findings.flatMap { finding in
            let level = finding.level.rawValue
            let head = level + String(repeating: " ", count: 6 - level.count)
            return [head + finding.text] + (finding.advice.map { ["      → " + $0] } ?? [])
        }
    }

    package var json: JSON {
        .members([
            "ok": .bool(exitCode == 0),
            "findings": .array(
                findings.map { finding in
                    .members([
                        "topic": .string(finding.topic.rawValue), "level": .string(finding.level.rawValue),
                        "text": .string(finding.text), "advice": finding.advice.map { .string($0) },
                    ])
                }),
        ])
    }
}
