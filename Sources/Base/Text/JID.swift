package struct JID: Hashable, Sendable { package let text: String }
