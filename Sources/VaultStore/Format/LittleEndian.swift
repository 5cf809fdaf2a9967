/// Little-endian integers at byte offsets, for the codecs of this target. Offsets are the codec's constants.
extension UnsafeRawBufferPointer {
    func integer<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value {
        Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    func bytes(_ offset: Int, _ count: Int) -> [UInt8] { Array(self[offset..<(offset + count)]) }

    func isZero(_ range: Range<Int>) -> Bool { self[range].allSatisfy { $0 == 0 } }
}

extension UnsafeMutableRawBufferPointer {
    func put<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
    }

    func put(_ bytes: [UInt8], at offset: Int) {
        UnsafeMutableRawBufferPointer(rebasing: self[offset..<(offset + bytes.count)]).copyBytes(from: bytes)
    }
}

/// The little-endian bytes of an integer.
func littleEndianBytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
}
