import Testing

@testable import ProfileStore
