import Base

/// Whether a slip could make one passcode of another (Docs/FORMATS.md, "Likeness"): a duress passcode destroys, and must
/// never be entered by accident (invariant 5).
enum PasscodeLikeness {
    /// Edits that two passcodes must at least be apart.
    static let distance = 3

    /// Whether `new` is too near to `present`: by edits, case, keyboard layout, or as a part. Both are prepared.
    static func areAlike(_ new: borrowing SecretBytes, _ present: borrowing SecretBytes) -> Bool {
        for isLowercased in [false, true] {
            guard let present = SecretText(utf8: present, isLowercased: isLowercased) else { return true }
            let identity: [UInt32: UInt32] = [:]
            for exchange in [identity] + KeyboardLayout.exchanges {
                let typed = SecretText(utf8: new, isLowercased: isLowercased) { exchange[$0] ?? $0 }
                guard let typed, !isPart(typed, present), edits(typed, present) >= distance else { return true }
            }
        }
        return false
    }

    /// Whether one is a part of the other: what comes of a passcode that is sent too early, or whose first keys are lost
    /// because they were typed before anything asked.
    private static func isPart(_ a: borrowing SecretText, _ b: borrowing SecretText) -> Bool {
        a.count <= b.count ? contains(b, a) : contains(a, b)
    }

    private static func contains(_ whole: borrowing SecretText, _ part: borrowing SecretText) -> Bool {
        for start in 0...(whole.count - part.count) {
            var matched = 0
            while matched < part.count, whole[start + matched] == part[matched] { matched += 1 }
            if matched == part.count { return true }
        }
        return false
    }

    /// How many insertions, deletions, replacements and swaps of neighbours make one of the other, `distance` for that
    /// many or more: unrestricted Damerau–Levenshtein, whose swaps may have edits between them, as far as it matters
    /// below three.
    static func edits(_ a: borrowing SecretText, _ b: borrowing SecretText) -> Int {
        guard abs(a.count - b.count) < distance else { return distance }
        let width = b.count + 1
        // Rows i, i-1, i-2, i-3, in turn: what they hold is as secret as the passcodes.
        var table = SecretBytes(count: 4 * width)
        let isNear = table.withUnsafeMutableBytes { table in
            for j in 0..<width { table[j] = UInt8(min(j, distance)) }
            for i in 1..<(a.count + 1) {
                func cell(_ row: Int, _ column: Int) -> Int { Int(table[(row & 3) * width + column]) }
                table[(i & 3) * width] = UInt8(min(i, distance))
                var least = min(i, distance)
                for j in 1..<width {
                    var cost = min(
                        cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1))
                    if i > 1, j > 1, a[i - 2] == b[j - 1], a[i - 1] == b[j - 2] {
                        cost = min(cost, cell(i - 2, j - 2) + 1)
                    }
                    if i > 2, j > 1, a[i - 3] == b[j - 1], a[i - 1] == b[j - 2] {
                        cost = min(cost, cell(i - 3, j - 2) + 2)
                    }
                    if i > 1, j > 2, a[i - 2] == b[j - 1], a[i - 1] == b[j - 3] {
                        cost = min(cost, cell(i - 2, j - 3) + 2)
                    }
                    table[(i & 3) * width + j] = UInt8(min(cost, distance))
                    least = min(least, cost)
                }
                // No way on from here is shorter; long passcodes that differ are done after a few rows.
                if least >= distance { return false }
            }
            return true
        }
        guard isNear else { return distance }
        return table.withUnsafeBytes { Int($0[(a.count & 3) * width + b.count]) }
    }
}
