/// XEP-0059: a page of a long answer.
package enum ResultSet {
    package static let namespace = "http://jabber.org/protocol/rsm"

    /// Which page to ask for.
    package struct Request: Sendable, Equatable {
        /// Where the page lies.
        package enum Position: Sendable, Equatable {
            /// The first page.
            case first
            /// The last page: an empty `<before/>`.
            case last
            /// The page that follows this id.
            case after(String)
            /// The page that leads up to this id.
            case before(String)
        }

        package let max: Int
        package let position: Position

        package init(max: Int, position: Position) {
            self.max = max
            self.position = position
        }

        package var element: Element {
            let place: Element? =
                switch position {
                case .first: nil
                case .last: Element("before", namespace)
                case .after(let id): Element("after", namespace, text: id)
                case .before(let id): Element("before", namespace, text: id)
                }
            return Element("set", namespace, [:], [Element("max", namespace, text: String(max))]).adding(place)
        }
    }

    /// What the page holds.
    package struct Answer: Sendable, Equatable {
        /// Ids of the first and last item; nil on an empty page.
        package let first: String?
        package let last: String?
        /// Place of the first item in the whole, if the server knows.
        package let firstIndex: Int?
        /// Number of all items, if the server knows.
        package let count: Int?

        /// The `<set/>` inside `parent`; nil where there is none.
        package init?(in parent: Element) {
            guard let set = parent.child("set", namespace) else { return nil }
            let first = set.child("first", namespace)
            self.first = first?.text
            firstIndex = first?["index"].flatMap { Int($0) }
            last = set.child("last", namespace)?.text
            count = set.child("count", namespace).flatMap { Int($0.text) }
        }
    }
}
