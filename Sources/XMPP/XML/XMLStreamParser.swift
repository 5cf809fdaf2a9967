internal import CLibXML2

/// What a stream of XML brings (RFC 6120, section 4.2 to 4.4).
package enum XMLEvent: Sendable, Equatable {
    /// The root's start tag, without children.
    case opened(Element)
    /// A child of the root, complete.
    case stanza(Element)
    /// A child of the root was too large to be read, and is over.
    case leftOut
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
///
/// With `leavesOutLarge`, a stanza that exceeds the limits is passed over instead: bounded in bytes by `StanzaSkipper`, and
/// nothing of it is kept. libxml2 cannot go back, so a new context goes on behind it, under the same root. A new context
/// goes on as well behind a stanza that filled libxml2's table of names, which never forgets one.
final class XMLStreamParser {
    private let limits: XMLLimits
    /// Whether stanzas beyond the limits are left out instead of ending the stream.
    var leavesOutLarge = false
    private var context: xmlParserCtxtPtr?
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
    /// Offset behind the last stanza or the root's start tag, in bytes of the stream.
    private var lastEnd = 0
    /// Bytes of the stream that libxml2 was given, or that were skipped.
    private var given = 0
    /// The offset in the stream at which the context's first byte would have been.
    private var origin = 0
    /// libxml2 keeps each name once: its address stands for it.
    private var namespaces: [UnsafePointer<xmlChar>: String] = [:]

    // Going on with a new context.
    /// What came up to the end of the root's start tag.
    private var root: [UInt8] = []
    private var hasRoot = false
    private var skipper: StanzaSkipper?
    /// Whether the context was stopped behind a stanza because its table of names is full enough.
    private var isWornOut = false
    /// What libxml2 was given behind the place where it was stopped.
    private var unread: [UInt8] = []

    init(limits: XMLLimits = .standard) {
        self.limits = limits
        xmlInitParser()
        openContext()
    }

    deinit { closeContext() }

    private func openContext() {
        context = SAXHandler.makeContext(limits)
        // The context lives and dies with this object, so it may keep its address without owning it.
        context?.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
    }

    private func closeContext() {
        // Nothing was asked to build a document; were there one, it would be ours to free.
        if let document = context?.pointee.myDoc { xmlFreeDoc(document) }
        xmlFreeParserCtxt(context)
        context = nil
    }

    /// Bytes that libxml2 holds for the names it knows.
    var nameBytes: Int { context.map { xmlDictGetUsage($0.pointee.dict) } ?? 0 }

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
        guard !bytes.isEmpty else { return }
        given += bytes.count
        if !hasRoot { root.append(contentsOf: bytes) }
        if skipper == nil { read(bytes) } else { skip(bytes) }
    }

    private func read(_ bytes: UnsafeRawBufferPointer) {
        guard let context else { return }
        xmlParseChunk(context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), 0)
        // Of a CDATA section it reports a few hundred bytes a call only.
        var waiting = unparsed
        while waiting > 1024 {
            xmlParseChunk(context, nil, 0, 0)
            guard unparsed < waiting else { break }
            waiting = unparsed
        }
        if isReading, context.pointee.wellFormed == 0, !isClosed { fail(.malformedXML, .notWellFormed) }
        if waiting > limits.tagBytes { exceed(.tagLimit, depth: depth, .text) }
        guard skipper != nil || isWornOut else { return }
        let rest = unread
        unread = []
        if isWornOut { goOn(at: lastEnd) }
        guard !rest.isEmpty else { return }
        rest.withUnsafeBytes { skipper == nil ? read($0) : skip($0) }
    }

    // MARK: Going on with a new context

    /// Whether what libxml2 reports counts.
    private var isReading: Bool { failure == nil && skipper == nil && !isWornOut }

    /// A limit is exceeded, with `depth` start tags complete and libxml2 standing at `place`.
    private func exceed(_ reason: StreamFailure.Reason, depth: Int, _ place: StanzaSkipper.Place) {
        guard isReading else { return }
        guard leavesOutLarge, hasRoot else { return fail(reason, .policyViolation) }
        skipper = StanzaSkipper(depth: depth, place: place)
        stop()
    }

    /// Stops libxml2, and keeps what it has not read.
    private func stop() {
        guard let input = context?.pointee.input else { return }
        unread = Array(UnsafeBufferPointer(start: input.pointee.cur, count: input.pointee.end - input.pointee.cur))
        xmlStopParser(context)
    }

    private func skip(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil, let outcome = skipper?.take(bytes) else { return }
        switch outcome {
        case .undecided: return
        case .malformed: fail(.malformedXML, .notWellFormed)
        case .tooLong: fail(.stanzaLimit, .policyViolation)
        case .ended(let index):
            events.append(.leftOut)
            // What is skipped is the last that came.
            goOn(at: given - (bytes.count - index))
            if index < bytes.count { read(UnsafeRawBufferPointer(rebasing: bytes[index...])) }
        }
    }

    /// A new context that has read the root's start tag, and goes on at this offset in the stream.
    private func goOn(at offset: Int) {
        skipper = nil
        isWornOut = false
        closeContext()
        open = []
        text = []
        depth = 0
        namespaces = [:]
        size = 0
        elements = 0
        openContext()
        root.withUnsafeBytes { read($0) }
        size = 0
        elements = 0
        origin = offset - root.count
        lastEnd = offset
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
        _ name: UnsafePointer<xmlChar>, _ namespace: UnsafePointer<xmlChar>?, declarations: Int,
        _ declared: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, attributes count: Int,
        _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    ) {
        guard isReading else { return }
        depth += 1
        guard depth <= limits.depth else { return exceedInTag(.depthLimit) }
        guard declarations + count <= limits.attributes else { return exceedInTag(.attributeLimit) }
        closeText()
        var element = Element(string(name), namespace.map(namespaceName) ?? "")
        size += element.name.utf8.count + XMLLimits.elementOverhead
        elements += 1
        if declarations > 0, let declared { sizeUp(declared, declarations) }
        if count > 0, let attributes { take(attributes, count, into: &element) }
        guard element.attributes.allSatisfy({ $0.name.utf8.count <= limits.nameBytes }),
            element.name.utf8.count <= limits.nameBytes, element.namespace.utf8.count <= limits.nameBytes
        else { return exceedInTag(.nameLimit) }
        guard size <= limits.stanzaBytes, elements <= limits.stanzaElements else { return exceedInTag(.stanzaLimit) }
        if depth > 1 {
            open.append(element)
        } else {
            didOpenStream(element)
        }
    }

    /// libxml2 stands behind the last attribute; the rest of the tag is the skipper's.
    private func exceedInTag(_ reason: StreamFailure.Reason) {
        exceed(reason, depth: depth - 1, .tag(isSlash: false))
    }

    private func didOpenStream(_ root: Element) {
        guard root.namespace == Namespace.stream else { return fail(.badRoot, .invalidNamespace) }
        guard root.name == "stream" else { return fail(.badRoot, .badFormat) }
        guard !hasRoot else { return }
        events.append(.opened(root))
        didEndEvent()
        hasRoot = true
        // The bracket that ends the tag is not read yet.
        self.root = self.root.prefix(lastEnd) + [UInt8(ascii: ">")]
    }

    /// libxml2 gives two addresses a declaration: prefix and namespace. Both stay in its table of names.
    private func sizeUp(_ declared: UnsafeMutablePointer<UnsafePointer<xmlChar>?>, _ count: Int) {
        for index in 0..<count * 2 {
            if let name = declared[index] { size += Int(xmlStrlen(name)) }
        }
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
            element.attributes.append(attribute)
        }
    }

    func didEnd() {
        guard isReading else { return }
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
            guard nameBytes > limits.dictionaryBytes else { return }
            isWornOut = true
            stop()
        } else {
            open[open.count - 1].children.append(.element(element))
        }
    }

    private func didEndEvent() {
        size = 0
        elements = 0
        guard let input = context?.pointee.input else { return }
        lastEnd = origin + Int(input.pointee.consumed) + (input.pointee.cur - input.pointee.base)
    }

    func didReadText(_ start: UnsafePointer<xmlChar>, _ count: Int, inSection: Bool) {
        guard isReading else { return }
        let bytes = UnsafeBufferPointer(start: start, count: count)
        guard !open.isEmpty else {
            // Between stanzas there is white space only: it keeps the connection alive.
            let isSpace = bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
            return isSpace ? () : fail(.strayText, .badFormat)
        }
        size += count
        // libxml2 may stand at what it reports; characters are passed over once more, without harm.
        guard size <= limits.stanzaBytes else {
            return exceed(.stanzaLimit, depth: depth, inSection ? .section(0) : .text)
        }
        text.append(contentsOf: bytes)
    }

    func didMeetRestricted() {
        guard isReading else { return }
        fail(.restrictedXML, .restrictedXML)
    }

    func didMeetError(_ code: Int32) {
        // Being stopped is none.
        guard isReading else { return }
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
