/// What a server may send at most (invariant 10). Whatever exceeds one of these is `stream.tooLarge`.
package struct XMLLimits: Sendable, Equatable {
    /// Elements inside each other, the stream's root counted.
    package var depth = 64
    /// Attributes and namespace declarations of one element.
    package var attributes = 64
    /// Bytes of a name, a prefix or a namespace's name.
    package var nameBytes = 1024
    /// Bytes of names, declared namespaces, values and text of one stanza, plus `elementOverhead` an element.
    package var stanzaBytes = 1 << 20
    /// Elements of one stanza.
    package var stanzaElements = 32_768
    /// Bytes of a tag. libxml2's work for one tag grows with the square of its attributes, so this bounds time, too.
    package var tagBytes = 32_768
    /// Bytes that libxml2 may hold for distinct names before it begins afresh, at the end of a stanza. It keeps every
    /// name, and a server that picks them so that their hashes collide makes each new one dearer.
    package var dictionaryBytes = 1 << 18
    /// White space before the stream is negotiated, in bytes.
    package var negotiationSpace = 1024

    /// What an element counts beside its bytes.
    static let elementOverhead = 16

    package init() {}
    package static let standard = XMLLimits()
}
