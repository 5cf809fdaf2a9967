internal import CUnicode

/// String profiles of PRECIS (RFC 8264): how user names, passwords and resources are prepared before they are
/// compared, sent or hashed.
package enum PRECIS: Sendable {
    /// Local parts of addresses (RFC 8265, section 3.3).
    case usernameCaseMapped
    /// Passcodes, passwords and resources (RFC 8265, section 4.2).
    case opaqueString

    /// The prepared form of `text`; nil where the profile refuses it (empty, a code point it does not allow, a broken
    /// rule of direction or context, longer than 1024 bytes).
    package func enforce(_ text: String) -> String? {
        var text = text
        return text.withUTF8 { bytes in
            prepare(UnsafeRawBufferPointer(bytes)) { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The prepared form of UTF-8 `bytes`, for the length of `body` only; nil where the profile refuses it.
    func prepare<Result: ~Copyable>(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        guard var text = UnicodeText.decode(utf8: bytes) else { return nil }
        // The order of RFC 8264, section 7. The code points are checked in the end, so that a canonically equal
        // spelling is the same name.
        switch self {
        case .usernameCaseMapped:
            guard Self.mapWidth(&text), text.replace(by: { postern_lower($0, $1, $2, $3) }) else { return nil }
        case .opaqueString:
            guard Self.mapSpaces(&text) else { return nil }
        }
        guard text.composeCanonically(), text.count > 0, allows(text) else { return nil }
        return text.withUTF8(body)
    }

    private var isIdentifier: Bool {
        switch self {
        case .usernameCaseMapped: true
        case .opaqueString: false
        }
    }

    private func allows(_ text: borrowing UnicodeText) -> Bool {
        withPoints(of: text) { points in
            firstRefused(points) == nil && (isIdentifier ? BidiRule.holds(points) : true)
        }
    }

    /// Why the profile refuses `bytes`, by the first character that it does not allow; nil where it is nothing of that
    /// kind (bad UTF-8, too long).
    func refusal(of bytes: UnsafeRawBufferPointer) -> FailureDetail? {
        guard var text = UnicodeText.decode(utf8: bytes), Self.mapSpaces(&text), text.composeCanonically() else {
            return nil
        }
        return withPoints(of: text) { points in
            firstRefused(points).map {
                .unusable(character: CharacterCount.number(ofPointAt: $0, in: points), Self.reason(points[$0]))
            }
        }
    }

    private static func reason(_ point: UInt32) -> FailureDetail.Unusable {
        if postern_is_default_ignorable(point) { return .joined }
        return postern_category_of(point) == POSTERN_CONTROL ? .control : .other
    }

    /// The place of the first code point that is not allowed where it stands.
    private func firstRefused(_ points: UnsafeBufferPointer<UInt32>) -> Int? {
        points.indices.first { index in
            switch CodePointClass(points[index]) {
            case .valid: false
            case .freeOnly: isIdentifier
            case .contextual: !ContextRule.holds(points, at: index)
            case .disallowed, .unassigned: true
            }
        }
    }

    private func withPoints<Result>(
        of text: borrowing UnicodeText, _ body: (UnsafeBufferPointer<UInt32>) -> Result
    ) -> Result {
        // A passcode's code points pass through here: the arena holds them, too.
        var copy = SecretBytes(count: text.count * 4)
        return copy.withUnsafeMutableBytes { bytes in
            let points = bytes.assumingMemoryBound(to: UInt32.self)
            var count = 0
            text.forEach {
                points[count] = $0
                count += 1
            }
            return body(UnsafeBufferPointer(rebasing: points[..<count]))
        }
    }

    private static func mapWidth(_ text: inout UnicodeText) -> Bool {
        text.map { point, append in
            withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 4) { mapped in
                let length = postern_width_mapping(point, mapped.baseAddress, 4)
                if length > 0 {
                    for unit in mapped[..<Int(length)] { append(unit) }
                } else {
                    appendPoint(point, append)
                }
            }
        }
    }

    private static func mapSpaces(_ text: inout UnicodeText) -> Bool {
        text.map { point, append in
            appendPoint(postern_category_of(point) == POSTERN_SPACE ? 0x20 : point, append)
        }
    }

    private static func appendPoint(_ point: UInt32, _ append: (UInt16) -> Void) {
        guard point > 0xFFFF else { return append(UInt16(point)) }
        append(UInt16(0xD7C0 + (point >> 10)))
        append(UInt16(0xDC00 + (point & 0x3FF)))
    }
}

/// A passcode or password as PRECIS OpaqueString (RFC 8265, section 4.2): NFC, other spaces become U+0020.
///
/// The bytes never become a `String`, and what is between lives in the arena. Throws `passcode.empty` for no bytes and
/// `passcode.invalid` for what the profile refuses: bad UTF-8, control characters, unassigned or ignorable code
/// points, more than 1024 bytes. The error names the character, by its number, where it is one. Emoji that are put together
/// (U+200D, U+FE0F) are among what is refused: the profile has them so because what does not show cannot be typed again
/// with certainty. Taking them out silently would make two passcodes one.
package func opaqueString(_ secret: borrowing SecretBytes) throws(Failure) -> SecretBytes {
    guard secret.count > 0 else { throw Failure(.passcodeEmpty) }
    let prepared: SecretBytes? = secret.withUnsafeBytes { bytes in
        PRECIS.opaqueString.prepare(bytes) { SecretBytes(copying: $0) }
    }
    if let prepared { return prepared }
    let detail = secret.withUnsafeBytes { PRECIS.opaqueString.refusal(of: $0) }
    throw Failure(.passcodeInvalid, detail: detail)
}
