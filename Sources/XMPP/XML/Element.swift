import Base

/// An XML element with all that is inside it: the form in which stanzas come and go.
///
/// Class S2: prints as nothing. Names, values and texts are bounded by the parser's limits.
package struct Element: Sensitive, Equatable {
    /// The local name, without prefix.
    package var name: String
    /// The namespace's name; empty for none.
    package var namespace: String
    package var attributes: [Attribute]
    package var children: [Node]

    package init(_ name: String, _ namespace: String) {
        self.name = name
        self.namespace = namespace
        attributes = []
        children = []
    }

    /// An element with `attributes` (those without a value are left out), then `text`, then `elements`.
    package init(
        _ name: String, _ namespace: String, _ attributes: KeyValuePairs<String, String?> = [:],
        text: String? = nil, _ elements: [Element] = []
    ) {
        self.init(name, namespace)
        for case (let name, let value?) in attributes { self.attributes.append(Attribute(name, value)) }
        if let text { children.append(.text(text)) }
        for element in elements { children.append(.element(element)) }
    }

    /// Whether this is the element `name` of `namespace`.
    package func isNamed(_ name: String, _ namespace: String) -> Bool {
        self.name == name && self.namespace == namespace
    }

    /// The value of the attribute `name` that has no namespace.
    package subscript(_ name: String) -> String? {
        get { attributes.first { $0.name == name && $0.namespace.isEmpty }?.value }
        set {
            attributes.removeAll { $0.name == name && $0.namespace.isEmpty }
            if let newValue { attributes.append(Attribute(name, newValue)) }
        }
    }

    /// The value of the attribute `name` of `namespace`.
    package func attribute(_ name: String, _ namespace: String) -> String? {
        attributes.first { $0.name == name && $0.namespace == namespace }?.value
    }

    /// The child elements in order, without the text between them.
    package var elements: some Sequence<Element> {
        children.lazy.compactMap { node in
            switch node {
            case .element(let element): element
            case .text: nil
            }
        }
    }

    /// The first child element `name` of `namespace`.
    package func child(_ name: String, _ namespace: String) -> Element? {
        for case .element(let element) in children where element.isNamed(name, namespace) { return element }
        return nil
    }

    /// The first child element of `namespace`, whatever its name.
    package func child(in namespace: String) -> Element? {
        for case .element(let element) in children where element.namespace == namespace { return element }
        return nil
    }

    /// The text directly inside, joined; empty where there is none.
    package var text: String {
        if children.count == 1, case .text(let text) = children[0] { return text }
        var joined = ""
        for case .text(let text) in children { joined += text }
        return joined
    }

    /// The same element with one more child element.
    package func adding(_ element: Element?) -> Element {
        guard let element else { return self }
        var copy = self
        copy.children.append(.element(element))
        return copy
    }
}

/// An attribute of an element.
package struct Attribute: Sensitive, Equatable {
    package var name: String
    /// Empty for none, as nearly always.
    package var namespace: String
    package var value: String

    package init(_ name: String, _ value: String, namespace: String = "") {
        self.name = name
        self.namespace = namespace
        self.value = value
    }
}

/// What an element contains.
package enum Node: Sensitive, Equatable {
    case element(Element)
    case text(String)
}
