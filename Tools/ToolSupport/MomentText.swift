import Foundation

/// A moment as people write it: a date, a date with a time, or how long ago it was.
///
/// `2026-11-30`, `2026-11-30T14:02`, `2026-11-30T14:02:30` are local; with a `Z` behind they are UTC. `90s`, `15m`,
/// `2h` and `7d` are so long before `now`.
///
/// - Returns: ms since 1970; nil for other texts and for moments before 1970.
package func parseMoment(_ text: String, now: UInt64) -> UInt64? {
    if let ago = ago(text) { return now >= ago ? now - ago : 0 }
    var text = text[...]
    let isUTC = text.hasSuffix("Z")
    if isUTC { text.removeLast() }
    let halves = text.split(separator: "T", omittingEmptySubsequences: false)
    guard halves.count <= 2, let date = numbers(halves[0], separator: "-", widths: [4, 2, 2]) else { return nil }
    var time: [Int] = [0, 0, 0]
    if halves.count == 2 {
        let withSeconds = numbers(halves[1], separator: ":", widths: [2, 2, 2])
        guard let read = withSeconds ?? numbers(halves[1], separator: ":", widths: [2, 2]) else { return nil }
        time = read + (read.count == 2 ? [0] : [])
    }
    return milliseconds(date, time, isUTC: isUTC)
}

private func ago(_ text: String) -> UInt64? {
    let units: [Character: UInt64] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
    guard let unit = text.last.flatMap({ units[$0] }), text.count <= 10 else { return nil }
    let digits = text.dropLast()
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    return UInt64(digits).map { $0 * unit }
}

/// Numbers of exactly these widths.
private func numbers(_ text: Substring, separator: Character, widths: [Int]) -> [Int]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count == widths.count else { return nil }
    var numbers: [Int] = []
    for (part, width) in zip(parts, widths) {
        guard part.count == width, part.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(part) else {
            return nil
        }
        numbers.append(number)
    }
    return numbers
}

private func milliseconds(_ date: [Int], _ time: [Int], isUTC: Bool) -> UInt64? {
    guard date[0] >= 1970, (1...12).contains(date[1]), (1...31).contains(date[2]), time[0] < 24, time[1] < 60,
        time[2] < 60
    else { return nil }
    var parts = tm()
    parts.tm_year = Int32(date[0] - 1900)
    parts.tm_mon = Int32(date[1] - 1)
    parts.tm_mday = Int32(date[2])
    parts.tm_hour = Int32(time[0])
    parts.tm_min = Int32(time[1])
    parts.tm_sec = Int32(time[2])
    parts.tm_isdst = -1
    let seconds = isUTC ? timegm(&parts) : mktime(&parts)
    // A day that the month does not have becomes one of the next.
    guard seconds >= 0, parts.tm_mday == Int32(date[2]) else { return nil }
    return UInt64(seconds) * 1_000
}
