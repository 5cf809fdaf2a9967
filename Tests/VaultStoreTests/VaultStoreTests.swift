import Testing

/// One after the other: each test opens spaces with threads of their own, and all of them share one arena for keys
/// that is made for the one or two spaces of a process.
@Suite(.serialized) enum VaultStoreTests {}
