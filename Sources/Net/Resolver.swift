package import Base

/// Finds the places of a service, and the addresses of a host, through DNS (c-ares), on the executor's own thread.
package actor Resolver {
    private let executor: EpollExecutor
    private let entropy: Entropy

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package init(executor: EpollExecutor, entropy: Entropy) {
        self.executor = executor
        self.entropy = entropy
    }
}
