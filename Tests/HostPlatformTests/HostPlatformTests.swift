import Testing

@testable import HostPlatform
