internal import CLibXML2

/// What a stream of XML brings (RFC 6120, section 4.2 to 4.4).
package enum XMLEvent: Sendable, Equatable {
    /// The root's start tag, without children.
    case opened(Element)
    /// A child of the root, complete.
    case stanza(Element)
    /// The root's end tag.
    case closed
    /// Nothing comes after this one.
    case failed(StreamFailure)
}

/// Makes events of a stream's bytes with libxml2's push parser. One value a stream: after TLS or SASL a new one.
///
/// Refused: document types, entities, processing instructions, comments, other encodings than UTF-8, prefixes that
/// are not bound, XML that is not well-formed, text between stanzas, and whatever exceeds `XMLLimits`. Nothing is ever
/// opened or fetched.
final class XMLStreamParser {
    private let limits: XMLLimits
    private let context: xmlParserCtxtPtr?
    private var declaration: XMLDeclaration? = XMLDeclaration()
    private var gate = UTF8Gate()

    private var events: [XMLEvent] = []
    private var failure: StreamFailure?
    private var isClosed = false
    private var depth = 0
    private var open: [Element] = []
    private var text: [UInt8] = []
    private var size = 0
    private var elements = 0
    /// Offset behind the last stanza or the root's start tag, in bytes given to libxml2.
    private var lastEnd = 0
    private var given = 0
    /// libxml2 keeps each name once: its address stands for it.
    private var namespaces: [UnsafePointer<xmlChar>: String] = [:]

    init(limits: XMLLimits = .standard) {
        self.limits = limits
        xmlInitParser()
        context = SAXHandler.makeContext(limits)
        // The context lives and dies with this object, so it may keep its address without owning it.
        context?.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        // Nothing was asked to build a document; were there one, it would be ours to free.
        if let document = context?.pointee.myDoc { xmlFreeDoc(document) }
        xmlFreeParserCtxt(context)
    }

    /// How many bytes came behind the last event: they are unexpected where the stream has to start anew.
    var trailingBytes: Int { given + gate.pending.count - lastEnd }

    /// The events that `bytes` complete, in order. After `.failed` and `.closed` there are none.
    func feed(_ bytes: UnsafeRawBufferPointer) -> [XMLEvent] {
        guard failure == nil, !isClosed else { return [] }
        var bytes = bytes
        if declaration != nil {
            let taken = judge(bytes)
            guard declaration == nil, failure == nil else { return finish() }
            bytes = UnsafeRawBufferPointer(rebasing: bytes[taken...])
        }
        parse(bytes)
        return finish()
    }

    func feed(_ bytes: [UInt8]) -> [XMLEvent] { bytes.withUnsafeBytes { feed($0) } }

    private func finish() -> [XMLEvent] {
        defer { events.removeAll(keepingCapacity: true) }
        if let failure { events.append(.failed(failure)) }
        return events
    }

    /// Gives bytes to the judge of declarations until it has decided; returns how many it took.
    private func judge(_ bytes: UnsafeRawBufferPointer) -> Int {
        for (index, byte) in bytes.enumerated() {
            guard var judge = declaration else { return index }
            let verdict = judge.take(byte)
            switch verdict {
            case .undecided:
                declaration = judge
            case .acceptable:
                declaration = nil
                judge.head.withUnsafeBytes { parse($0) }
            case .refused(let condition):
                fail(condition == .unsupportedEncoding ? .badEncoding : .malformedXML, condition)
                return index
            }
        }
        return bytes.count
    }

    private func parse(_ bytes: UnsafeRawBufferPointer) {
        // Small pieces, so that the length of a tag is noticed before libxml2 works on it.
        let piece = 4096
        var start = 0
        while start < bytes.count, failure == nil, !isClosed {
            let end = min(start + piece, bytes.count)
            let isUTF8 = gate.pass(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) { parsePiece($0) }
            if !isUTF8 { fail(.badEncoding, .notWellFormed) }
            start = end
        }
    }

    private func parsePiece(_ bytes: UnsafeRawBufferPointer) {
        guard let context, !bytes.isEmpty else { return }
        given += bytes.count
        xmlParseChunk(context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), 0)
        // Of a CDATA section it reports a few hundred bytes a call only.
        var waiting = unparsed
        while waiting > 1024 {
            xmlParseChunk(context, nil, 0, 0)
            guard unparsed < waiting else { break }
            waiting = unparsed
        }
        if failure == nil, context.pointee.wellFormed == 0, !isClosed { fail(.malformedXML, .notWellFormed) }
        if waiting > limits.tagBytes { fail(.tagLimit, .policyViolation) }
    }

    /// Bytes that libxml2 keeps until the tag they belong to is complete.
    private var unparsed: Int {
        guard let input = context?.pointee.input else { return 0 }
        return input.pointee.end - input.pointee.cur
    }

    private func fail(_ reason: StreamFailure.Reason, _ answer: StreamCondition) {
        guard failure == nil, !isClosed else { return }
        failure = StreamFailure(answer == .policyViolation ? .streamTooLarge : .streamInvalid, reason, answer: answer)
        xmlStopParser(context)
    }

    // MARK: What libxml2 reports

    func didStart(
        _ name: UnsafePointer<xmlChar>, _ namespace: UnsafePointer<xmlChar>?, declarations: Int, attributes count: Int,
        _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    ) {
        guard failure == nil else { return }
        depth += 1
        guard depth <= limits.depth else { return fail(.depthLimit, .policyViolation) }
        guard declarations + count <= limits.attributes else { return fail(.attributeLimit, .policyViolation) }
        closeText()
        var element = Element(string(name), namespace.map(namespaceName) ?? "")
        size += element.name.utf8.count + XMLLimits.elementOverhead
        elements += 1
        if count > 0, let attributes { take(attributes, count, into: &element) }
        guard failure == nil else { return }
        guard element.name.utf8.count <= limits.nameBytes, element.namespace.utf8.count <= limits.nameBytes else {
            return fail(.nameLimit, .policyViolation)
        }
        guard size <= limits.stanzaBytes, elements <= limits.stanzaElements else {
            return fail(.stanzaLimit, .policyViolation)
        }
        if depth > 1 {
            open.append(element)
        } else {
            didOpenStream(element)
        }
    }

    private func didOpenStream(_ root: Element) {
        guard root.namespace == Namespace.stream else { return fail(.badRoot, .invalidNamespace) }
        guard root.name == "stream" else { return fail(.badRoot, .badFormat) }
        events.append(.opened(root))
        didEndEvent()
    }

    /// libxml2 gives five addresses an attribute: name, prefix, namespace, value, end of the value.
    private func take(
        _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>, _ count: Int, into element: inout Element
    ) {
        element.attributes.reserveCapacity(count)
        for index in 0..<count {
            let entry = attributes + index * 5
            guard let name = entry[0], let value = entry[3], let end = entry[4] else { continue }
            let attribute = Attribute(
                string(name), String(decoding: UnsafeBufferPointer(start: value, count: end - value), as: UTF8.self),
                namespace: entry[2].map(namespaceName) ?? "")
            size += attribute.name.utf8.count + (end - value)
            guard attribute.name.utf8.count <= limits.nameBytes else { return fail(.nameLimit, .policyViolation) }
            element.attributes.append(attribute)
        }
    }

    func didEnd() {
        guard failure == nil else { return }
        closeText()
        depth -= 1
        guard let element = open.popLast() else {
            isClosed = true
            events.append(.closed)
            didEndEvent()
            return
        }
        if open.isEmpty {
            events.append(.stanza(element))
            didEndEvent()
        } else {
            open[open.count - 1].children.append(.element(element))
        }
    }

    private func didEndEvent() {
        size = 0
        elements = 0
        guard let input = context?.pointee.input else { return }
        lastEnd = Int(input.pointee.consumed) + (input.pointee.cur - input.pointee.base)
    }

    func didReadText(_ start: UnsafePointer<xmlChar>, _ count: Int) {
        guard failure == nil else { return }
        let bytes = UnsafeBufferPointer(start: start, count: count)
        guard !open.isEmpty else {
            // Between stanzas there is white space only: it keeps the connection alive.
            let isSpace = bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
            return isSpace ? () : fail(.strayText, .badFormat)
        }
        size += count
        guard size <= limits.stanzaBytes else { return fail(.stanzaLimit, .policyViolation) }
        text.append(contentsOf: bytes)
    }

    func didMeetRestricted() { fail(.restrictedXML, .restrictedXML) }

    func didMeetError(_ code: Int32) {
        switch xmlParserErrors(rawValue: UInt32(bitPattern: code)) {
        case XML_NS_ERR_UNDEFINED_NAMESPACE: fail(.unboundPrefix, .badNamespacePrefix)
        // A namespace's name that is no URI is a name all the same.
        case XML_WAR_NS_URI, XML_WAR_NS_URI_RELATIVE: return
        // The dictionary of names is full, or libxml2's own limit of one name is reached.
        case XML_ERR_NO_MEMORY, XML_ERR_NAME_TOO_LONG: fail(.nameLimit, .policyViolation)
        default: isAtDeclaration ? didMeetRestricted() : fail(.malformedXML, .notWellFormed)
        }
    }

    /// Whether libxml2 stopped at something like `<!DOCTYPE`, which it calls malformed inside the root.
    private var isAtDeclaration: Bool {
        guard let input = context?.pointee.input?.pointee, let cursor = input.cur, input.end - cursor >= 2 else {
            return false
        }
        return cursor[0] == UInt8(ascii: "<") && cursor[1] == UInt8(ascii: "!")
    }

    private func closeText() {
        guard !text.isEmpty else { return }
        if !open.isEmpty { open[open.count - 1].children.append(.text(String(decoding: text, as: UTF8.self))) }
        text.removeAll(keepingCapacity: true)
    }

    private func string(_ name: UnsafePointer<xmlChar>) -> String { String(cString: name) }

    private func namespaceName(_ name: UnsafePointer<xmlChar>) -> String {
        if let known = namespaces[name] { return known }
        let string = String(cString: name)
        if namespaces.count < 512 { namespaces[name] = string }
        return string
    }
}
