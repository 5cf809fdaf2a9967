import Terminal

extension LineEditor {
    /// The keys every entry knows: text, moves by cluster, word and line, and deletions (as in readline).
    mutating func edit(_ key: KeyPress) {
        switch key {
        case KeyPress(.backspace), .control("h"): deleteBackward()
        case KeyPress(.delete): deleteForward()
        case KeyPress(.backspace, .alt), .control("w"): deleteWordBackward()
        case .control("u"): deleteToLineStart()
        case .control("k"): deleteToLineEnd()
        case KeyPress(.left), .control("b"): moveLeft()
        case KeyPress(.right): moveRight()
        case KeyPress(.left, .control), KeyPress(.left, .alt), KeyPress(.character("b"), .alt): moveWordLeft()
        case KeyPress(.right, .control), KeyPress(.right, .alt), KeyPress(.character("f"), .alt): moveWordRight()
        case KeyPress(.home), .control("a"): moveToLineStart()
        case KeyPress(.end), .control("e"): moveToLineEnd()
        default:
            guard case .character(let scalar) = key.key, key.modifiers.subtracting(.shift).isEmpty else { return }
            insert(scalar)
        }
    }
}
