import Base

/// Names of hosts as they may go into DNS, SNI, and a proxy's hands.
enum HostName {
    /// A-labels in lower case, without a final dot: letters, digits, hyphens in labels of 1 to 63; nil for anything
    /// else, IP literals among it.
    static func ascii(_ name: String) -> String? {
        guard IPAddress(name) == nil, let ascii = DomainName.ascii(name), (1...253).contains(ascii.utf8.count) else {
            return nil
        }
        return ascii.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isLabel) ? ascii : nil
    }

    /// Whether it is 1 to 63 lower-case letters, digits and hyphens.
    static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count)
            && label.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
