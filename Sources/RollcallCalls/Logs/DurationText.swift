/// Writes a length of time for people: `m:ss`, or `h:mm:ss` from an hour on; parts of a second are left out.
func durationText(milliseconds: UInt64) -> String {
    let seconds = milliseconds / 1_000
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
    func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return hours == 0 ? "\(minutes):\(two(seconds % 60))" : "\(hours):\(two(minutes)):\(two(seconds % 60))"
}
