import Testing

@testable import SQLCipherKit
