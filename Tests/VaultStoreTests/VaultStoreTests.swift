import Testing

@testable import VaultStore
