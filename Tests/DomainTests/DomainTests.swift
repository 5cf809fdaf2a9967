import Testing

@testable import Domain
