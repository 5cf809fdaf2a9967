package import Base

/// How a passcode's bytes become what is stretched: PRECIS OpaqueString (RFC 8265), so that every way to type the same
/// characters opens the same slot. Spaces at the ends count.
package enum Passcode {
    /// For a new passcode. Throws `passcode.empty`, `passcode.invalid`.
    package static func prepareNew(_ bytes: borrowing SecretBytes) throws(Failure) -> SecretBytes {
        try opaqueString(bytes)
    }

    /// For an attempt: what the profile refuses is tried as it is. It cannot open anything, because prepared passcodes
    /// are never among what is refused, and it takes the same path and time as any other wrong one.
    package static func prepareAttempt(_ bytes: borrowing SecretBytes) -> SecretBytes {
        if let prepared = try? opaqueString(bytes) { return prepared }
        return bytes.copy()
    }
}
