package import Application

/// Looks at this machine with a session's eyes: what will hold, and what will not. Opens no vault.
package enum Doctor {
    /// Call it while there is one thread. It takes about a second at most.
    /// - Parameters:
    ///   - vault: where the vault is or would be; nil where that is not known.
    ///   - libraries: names and versions, to be told first.
    package static func examine(
        vault: String?, libraries: [(name: String, version: String)], environment: (String) -> String?
    ) -> [Finding] {
        let versions = libraries.map { "\($0.name) \($0.version)" }.joined(separator: ", ")
        let surroundings = withoutActuallyEscaping(environment) { environment in
            SurroundingsExamination(vault: vault, environment: environment).findings
        }
        let findings =
            [Finding(.libraries, .ok, versions)] + ProcessExamination().findings + SwapExamination().findings
            + surroundings
        return Finding.Topic.allCases.flatMap { topic in findings.filter { $0.topic == topic } }
    }
}
