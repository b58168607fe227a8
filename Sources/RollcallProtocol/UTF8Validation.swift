/// Where the first byte is that can't be part of UTF-8 (Unicode, table 3-7: no surrogates, nothing overlong, nothing
/// above U+10FFFF); nil when all of `range` is text.
///
/// Takes no memory.
func firstInvalidUTF8(in bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var index = range.lowerBound
    while index < range.upperBound {
        let lead = bytes[index]
        if lead < 0x80 {
            index += 1
            continue
        }
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return index
        }
        guard range.upperBound - index >= length, second.contains(bytes[index + 1]) else { return index }
        for offset in 2..<max(length, 2) where bytes[index + offset] & 0xC0 != 0x80 {
            return index
        }
        index += length
    }
    return nil
}
