import Testing

@testable import XMPPLink
