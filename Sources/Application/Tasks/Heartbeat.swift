package import Base

/// Touches the vault about once a minute as long as the program runs, in every state, so that the file's times say nothing
/// about when somebody had which space open (invariant 3).
package struct Heartbeat: Sendable {
    /// Milliseconds between two beats: drawn evenly, so that the times of two vaults cannot be told apart by a phase.
    package static let pause: ClosedRange<Int64> = 45_000...75_000

    private let vault: any VaultPort
    private let time: TimeSource
    private let entropy: Entropy
    private let log: Log

    package init(vault: any VaultPort, time: TimeSource, entropy: Entropy, log: Log) {
        self.vault = vault
        self.time = time
        self.entropy = entropy
        self.log = log.area("vault")
    }

    /// Beats until the task is cancelled. A disk that refuses is named in the log once until it takes a beat again; the
    /// next beat tries anew.
    package func run() async {
        var isFailing = false
        while !Task.isCancelled {
            let spread = UInt64(Self.pause.upperBound - Self.pause.lowerBound + 1)
            let pause = Self.pause.lowerBound + Int64(entropy.number(below: spread))
            do { try await time.sleep(pause) } catch { return }
            do throws(Failure) {
                try await vault.touch()
                isFailing = false
            } catch {
                if !isFailing { log.warning("the vault cannot be written", ["code": error.code]) }
                isFailing = true
            }
        }
    }
}
