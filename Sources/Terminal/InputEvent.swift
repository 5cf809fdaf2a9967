/// Keys held down with another.
package struct Modifiers: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let shift = Modifiers(rawValue: 1)
    package static let alt = Modifiers(rawValue: 2)
    package static let control = Modifiers(rawValue: 4)
}

/// A key of the keyboard.
package enum Key: Sendable, Hashable {
    /// A scalar as typed. Clusters of several scalars come as several keys. With `.control` a lower-case letter or
    /// one of `space [ \ ] ^ _`.
    case character(Unicode.Scalar)
    case enter, tab, backspace, escape
    case up, down, left, right, home, end, pageUp, pageDown, insert, delete
    /// F1 to F20.
    case function(Int)
}

/// A key with what was held down beside it.
package struct KeyPress: Sendable, Hashable {
    package let key: Key
    package let modifiers: Modifiers
    package init(_ key: Key, _ modifiers: Modifiers = []) {
        self.key = key
        self.modifiers = modifiers
    }
    /// Ctrl and a letter.
    package static func control(_ letter: Unicode.Scalar) -> KeyPress { KeyPress(.character(letter), .control) }
    /// A plain character.
    package static func character(_ scalar: Unicode.Scalar) -> KeyPress { KeyPress(.character(scalar)) }
}

/// Text that came between the markers of a bracketed paste: one event, whatever is in it, so that no line of it can
/// act as a key. UTF-8, line breaks as "\n", no other control characters except tabs.
package struct Paste: Sendable, Hashable {
    package let text: String
    /// Whether more came than the bound allows; the rest was dropped.
    package let isCut: Bool
    /// Bytes of one paste that are kept.
    package static let limit = 64 * 1024
    package init(text: String, isCut: Bool) {
        self.text = text
        self.isCut = isCut
    }
}

/// Something a mouse did, at a cell.
package struct MouseEvent: Sendable, Hashable {
    /// What it did.
    package enum Action: Sendable, Hashable { case press, release, drag, wheelUp, wheelDown }
    /// With which button; `other` for the wheel.
    package enum Button: Sendable, Hashable { case left, middle, right, other }
    package let action: Action
    package let button: Button
    package let point: Point
    package let modifiers: Modifiers
    package init(_ action: Action, _ button: Button, at point: Point, _ modifiers: Modifiers = []) {
        self.action = action
        self.button = button
        self.point = point
        self.modifiers = modifiers
    }
}

/// What a terminal tells of the person before it.
package enum InputEvent: Sendable, Hashable {
    case key(KeyPress)
    case paste(Paste)
    case mouse(MouseEvent)
    /// Whether the terminal's window has the keyboard.
    case focus(Bool)
}
