package import Base

/// Which key protector a vault was made with.
package enum ProtectorKind: UInt8, Sendable { case software = 1 }

/// Contributes a secret of the device to the master key. The same calls on every outcome, never a silent fall-back.
package protocol KeyProtector: Sendable {
    var kind: ProtectorKind { get }
    /// The secret appended to the stretched passcode; may be empty.
    func secret() throws(Failure) -> SecretBytes
}

/// No device: the passcode alone opens the vault, on any machine.
package struct SoftwareProtector: KeyProtector {
    package init() {}
    package var kind: ProtectorKind { .software }
    package func secret() throws(Failure) -> SecretBytes { SecretBytes(count: 0) }
}
