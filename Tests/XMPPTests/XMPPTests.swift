import Testing

@testable import XMPP
