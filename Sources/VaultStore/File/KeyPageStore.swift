package import Base
internal import CryptoPrimitives

/// The two sealed copies of one region's key page under the space's root key.
package struct KeyPageStore: Sendable {
    private let access: RegionAccess
    private let binding: [UInt8]
    private let keys: SharedSecret
    private let entropy: Entropy

    /// - Parameters:
    ///   - binding: `H`.
    ///   - salt: the vault's.
    package init(
        access: RegionAccess, binding: [UInt8], salt: [UInt8], rootKey: borrowing SecretBytes, entropy: Entropy
    ) {
        self.access = access
        self.binding = binding
        self.entropy = entropy
        keys = SharedSecret(
            HKDF.derive(rootKey, salt: salt, info: Array("postern/1 key page".utf8) + [access.region], count: 64))
    }

    /// Reads both copies, repairs the one that does not count. nil where neither opens.
    package func load() throws(Failure) -> KeyPage? {
        let a = try open(copy: 0)
        let b = try open(copy: 1)
        switch (a, b) {
        case (nil, nil):
            return nil
        case (let page?, nil):
            try put(page, copy: 1)
            return page
        case (nil, let page?):
            try put(page, copy: 0)
            return page
        case (let a?, let b?):
            if b.epoch > a.epoch {
                try put(b, copy: 0)
                return b
            }
            if a.epoch > b.epoch { try put(a, copy: 1) }
            return a
        }
    }

    /// Writes the page, whose epoch the caller has advanced: B, sync, A, sync. Both copies were equal before, because
    /// `load` repairs, and after a failed write it is called again first (`Region`).
    package func write(_ page: KeyPage) throws(Failure) {
        try put(page, copy: 1)
        try put(page, copy: 0)
    }

    /// Whether both copies on disk open and carry this epoch.
    package func verify(epoch: UInt64) throws(Failure) -> Bool {
        let a = try open(copy: 0)
        let b = try open(copy: 1)
        return a?.epoch == epoch && b?.epoch == epoch
    }

    private func open(copy: Int) throws(Failure) -> KeyPage? {
        let bytes = try access.readKeyPage(copy: copy)
        let nonce = Array(bytes.prefix(XChaCha20Poly1305.nonceSize))
        let sealed = Array(bytes.dropFirst(XChaCha20Poly1305.nonceSize))
        return try key.open(sealed, nonce: nonce, associatedData: associatedData) { (content) throws(Failure) in
            try KeyPage(content, region: access.region)
        }
    }

    private func put(_ page: KeyPage, copy: Int) throws(Failure) {
        let nonce = entropy.bytes(XChaCha20Poly1305.nonceSize)
        let sealed = key.seal(count: KeyPage.size, nonce: nonce, associatedData: associatedData) {
            page.encode(into: $0)
        }
        try access.writeKeyPage(nonce + sealed, copy: copy)
    }

    private var associatedData: [UInt8] { binding + [access.region] }

    private var key: CommittingKey {
        CommittingKey(key: keys.bytes.slice(0..<32), commitment: keys.bytes.slice(32..<64))
    }
}
