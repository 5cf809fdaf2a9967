/// One SRV record of either kind.
struct ServiceRecord: Sendable, Equatable {
    let priority: UInt16
    let weight: UInt16
    /// A-labels; "." never gets here.
    let host: String
    let port: UInt16
    let directTLS: Bool
}

/// The order in which the records of a service are tried (RFC 2782); records of both kinds are one set (XEP-0368).
enum ServiceOrder {
    /// - Parameter random: a number from 0 through the bound, evenly.
    static func order(_ records: [ServiceRecord], random: (_ upThrough: UInt64) -> UInt64) -> [Endpoint] {
        var result: [Endpoint] = []
        for (_, group) in Dictionary(grouping: records, by: \.priority).sorted(by: { $0.key < $1.key }) {
            // Weight 0 goes first, so that it has a small chance beside others (RFC 2782, "Weight").
            var left = group.filter { $0.weight == 0 } + group.filter { $0.weight != 0 }
            while !left.isEmpty {
                let choice = random(left.reduce(0) { $0 + UInt64($1.weight) })
                var sum: UInt64 = 0
                let index =
                    left.firstIndex { record in
                        sum += UInt64(record.weight)
                        return sum >= choice
                    } ?? left.startIndex
                let record = left.remove(at: index)
                let endpoint = Endpoint(host: record.host, port: record.port, directTLS: record.directTLS)
                if !result.contains(endpoint) { result.append(endpoint) }
            }
        }
        return result
    }
}
