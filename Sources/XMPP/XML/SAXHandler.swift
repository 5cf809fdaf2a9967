internal import CLibXML2

/// The table of callbacks through which libxml2 reports to an `XMLStreamParser`.
///
/// Every callback runs inside `xmlParseChunk`, on the thread that feeds, and nothing is thrown through C.
enum SAXHandler {
    /// A push parser that calls the parser whose unowned address is its `userData`; nil where there is no memory.
    static func makeContext(_ limits: XMLLimits) -> xmlParserCtxtPtr? {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = { user, name, _, namespace, declarations, declared, count, _, attributes in
            guard let name else { return }
            parser(user)?.didStart(
                name, namespace, declarations: Int(declarations), declared, attributes: Int(count), attributes)
        }
        handler.endElementNs = { user, _, _, _ in parser(user)?.didEnd() }
        handler.characters = { user, text, count in
            if let text { parser(user)?.didReadText(text, Int(count), inSection: false) }
        }
        handler.cdataBlock = { user, text, count in
            if let text { parser(user)?.didReadText(text, Int(count), inSection: true) }
        }
        handler.internalSubset = { user, _, _, _ in parser(user)?.didMeetRestricted() }
        handler.externalSubset = { user, _, _, _ in parser(user)?.didMeetRestricted() }
        handler.entityDecl = { user, _, _, _, _, _ in parser(user)?.didMeetRestricted() }
        handler.processingInstruction = { user, _, _ in parser(user)?.didMeetRestricted() }
        handler.comment = { user, _ in parser(user)?.didMeetRestricted() }
        handler.reference = { user, _ in parser(user)?.didMeetRestricted() }
        handler.getEntity = { user, _ in
            parser(user)?.didMeetRestricted()
            return nil
        }
        handler.serror = { user, error in
            guard let error = error?.pointee, error.level != XML_ERR_WARNING else { return }
            // Here libxml2 hands over the context itself.
            let context = error.ctxt?.assumingMemoryBound(to: xmlParserCtxt.self)
            parser(context?.pointee.userData)?.didMeetError(error.code)
        }
        let context = xmlCreatePushParserCtxt(&handler, nil, nil, 0, nil)
        // Without NOENT an ampersand in an attribute's value comes out as "&#38;". There are no entities to replace:
        // whatever declares or uses one is refused above.
        let options = XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue
        xmlCtxtUseOptions(context, Int32(options))
        // Behind the options: they set a limit of their own. The parser sees to it that one stanza fits into the rest.
        xmlDictSetLimit(context?.pointee.dict, limits.dictionaryBytes + 2 * limits.stanzaBytes)
        return context
    }
}

private func parser(_ user: UnsafeMutableRawPointer?) -> XMLStreamParser? {
    user.map { Unmanaged<XMLStreamParser>.fromOpaque($0).takeUnretainedValue() }
}
