import Glibc

/// What the kernel tells in `/proc` and `/sys`; below another folder in tests.
struct SystemFiles {
    let root: String

    init(root: String = "") { self.root = root }

    /// The text of a file of at most 64 KiB; nil where it cannot be read.
    func text(_ path: String) -> String? {
        let descriptor = open(root + path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return readWhole(descriptor, limit: 64 * 1024).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The text without blanks at its ends.
    func word(_ path: String) -> String? {
        text(path).map { text in
            String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        }
    }

    /// The names in a folder, none where it cannot be read.
    func names(in path: String) -> [String] {
        guard let folder = opendir(root + path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
