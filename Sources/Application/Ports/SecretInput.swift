package import Base

/// Which secret is asked for.
package enum SecretPurpose: Sendable, Equatable {
    case passcode, newPasscode, repeatedPasscode, otherPasscode, duressPasscode, password
}

/// Where secrets come from: a named descriptor, or the terminal.
package protocol SecretInput: Sendable {
    /// One line, without its line break, at most 1,024 bytes, read byte by byte into locked memory.
    /// - Parameter descriptor: the descriptor a person named, or nil for the terminal.
    /// Throws `input.secretRequired` where there is neither or it has ended, `input.invalid` for an overlong line.
    func read(_ purpose: SecretPurpose, descriptor: Int32?) async throws(Failure) -> SecretBytes
}

/// Opens files a person names; outside the process that holds keys, which cannot.
package protocol FileOpening: Sendable {
    /// The whole of a file of certificates, at most `limit` bytes. Throws `file.unreadable`; `tls.authorityFile` where
    /// there is no certificate in it, or anything besides.
    func read(path: String, limit: Int) async throws(Failure) -> [UInt8]
}
