package import Base

extension SecretBytes {
    /// Tests have no secrets.
    package init(text: String) {
        let bytes = Array(text.utf8)
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }
}
