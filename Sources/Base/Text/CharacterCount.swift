/// Counting characters as a person does, where the code points may not become a `String`.
enum CharacterCount {
    /// The number, from 1, of the character that the code point at `place` belongs to: marks, joiners, variation
    /// selectors, skin tones and the second half of a flag belong to what is before them (after UAX #29).
    static func number(ofPointAt place: Int, in points: UnsafeBufferPointer<UInt32>) -> Int {
        var number = 0
        var wasJoiner = false
        var indicators = 0
        for point in points[...place] {
            let isIndicator = (0x1F1E6...0x1F1FF).contains(point)
            indicators = isIndicator ? indicators + 1 : 0
            let joins = wasJoiner || extends(point) || (isIndicator && indicators.isMultiple(of: 2))
            if number == 0 || !joins { number += 1 }
            wasJoiner = point == 0x200D
        }
        return number
    }

    private static func extends(_ point: UInt32) -> Bool {
        guard let scalar = Unicode.Scalar(point) else { return false }
        return point == 0x200D || scalar.properties.isGraphemeExtend || scalar.properties.isEmojiModifier
    }
}
