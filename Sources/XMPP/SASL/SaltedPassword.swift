import Base
package import CryptoPrimitives

/// A password stretched for one salt (RFC 5802, section 3), kept so that the next login costs nothing. As secret as
/// the password itself.
package final class SaltedPassword: Sendable {
    package let function: HashFunction
    package let salt: [UInt8]
    package let iterations: Int
    let bytes: SecretBytes

    init(function: HashFunction, salt: [UInt8], iterations: Int, bytes: consuming SecretBytes) {
        self.function = function
        self.salt = salt
        self.iterations = iterations
        self.bytes = bytes
    }

    /// `Hi(Normalize(password), salt, i)`.
    static func stretch(
        _ prepared: borrowing SecretBytes, function: HashFunction, salt: [UInt8], iterations: Int
    ) -> SaltedPassword {
        SaltedPassword(
            function: function, salt: salt, iterations: iterations,
            bytes: function.stretch(prepared, salt: salt, iterations: iterations))
    }

    func fits(_ function: HashFunction, _ salt: [UInt8], _ iterations: Int) -> Bool {
        self.function == function && self.salt == salt && self.iterations == iterations
    }

    /// `ClientProof` over the authentication message.
    func clientProof(over message: [UInt8]) -> [UInt8] {
        let clientKey = function.authenticate(Array("Client Key".utf8), key: bytes)
        let storedKey = function.hash(clientKey)
        let signature = function.authenticate(message, key: storedKey)
        return clientKey.withUnsafeBytes { key in
            signature.withUnsafeBytes { signature in zip(key, signature).map { $0 ^ $1 } }
        }
    }

    /// `ServerSignature` over the authentication message.
    func serverSignature(over message: [UInt8]) -> SecretBytes {
        let serverKey = function.authenticate(Array("Server Key".utf8), key: bytes)
        return function.authenticate(message, key: serverKey)
    }
}
