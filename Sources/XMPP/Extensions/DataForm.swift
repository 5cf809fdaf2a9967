/// XEP-0004: fields with names and values, as other extensions use them.
package struct DataForm: Sendable, Equatable {
    package static let namespace = "jabber:x:data"

    /// What a form is for (section 3.1).
    package enum Kind: String, Sendable {
        case form, submit, cancel, result
    }

    /// A field that has a name.
    package struct Field: Sendable, Equatable {
        package let name: String
        /// `hidden`, `list-single` and so on; nil where it is not said.
        package let type: String?
        package let values: [String]

        package init(_ name: String, _ values: [String], type: String? = nil) {
            self.name = name
            self.type = type
            self.values = values
        }
    }

    package let kind: Kind
    package let fields: [Field]

    /// A form that says what it is about (XEP-0068).
    package init(_ kind: Kind, type: String, _ fields: [Field]) {
        self.kind = kind
        self.fields = [Field("FORM_TYPE", [type], type: "hidden")] + fields
    }

    /// Nil where `element` is no form.
    package init?(_ element: Element) {
        guard element.isNamed("x", Self.namespace), let kind = element["type"].flatMap(Kind.init(rawValue:)) else {
            return nil
        }
        self.kind = kind
        fields = element.elements.filter { $0.isNamed("field", Self.namespace) }.compactMap { field in
            field["var"].map { name in
                let values = field.elements.filter { $0.isNamed("value", Self.namespace) }.map(\.text)
                return Field(name, Array(values), type: field["type"])
            }
        }
    }

    package var element: Element {
        Element(
            "x", Self.namespace, ["type": kind.rawValue],
            fields.map { field in
                Element(
                    "field", Self.namespace, ["var": field.name, "type": field.type],
                    field.values.map { Element("value", Self.namespace, text: $0) })
            })
    }
}
