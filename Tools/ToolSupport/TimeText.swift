import Foundation

/// Times and lengths of time as text: local and short, for people; programs get a `Timestamp`.
///
/// Times are ms since 1970, as on the wire.
package enum TimeText {
    /// The present.
    package static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// Milliseconds on a clock that never goes back.
    package static var monotonic: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
    }

    /// `14:02:11.032`, local.
    package static func clockWithMilliseconds(_ time: UInt64) -> String {
        parts(time, localtime_r).map { "\(clock($0)).\(thousandths(time))" } ?? "-"
    }

    /// `14:02:11`, local; with the date when it is another day than `now`.
    package static func clock(_ time: UInt64, now: UInt64) -> String {
        guard let parts = parts(time, localtime_r), let today = Self.parts(now, localtime_r) else { return "-" }
        let isToday = parts.tm_yday == today.tm_yday && parts.tm_year == today.tm_year
        return (isToday ? "" : "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) ") + clock(parts)
    }

    /// How long ago `time` was: `now`, `45s`, `2m04s`, `1h05m`, `3d02h`.
    package static func age(of time: UInt64, now: UInt64) -> String {
        let seconds = now > time ? (now - time) / 1000 : 0
        return switch seconds {
        case 0: "now"
        case 1..<60: "\(seconds)s"
        case 60..<3600: "\(seconds / 60)m\(two(seconds % 60))s"
        case 3600..<86_400: "\(seconds / 3600)h\(two(seconds / 60 % 60))m"
        default: "\(seconds / 86_400)d\(two(seconds / 3600 % 24))h"
        }
    }

    /// A length of time in ms, as options write it: `250 ms`, `15 s`, `2 min`.
    package static func duration(_ ms: UInt64) -> String {
        if ms % 60_000 == 0, ms > 0 { return "\(ms / 60_000) min" }
        return ms % 1000 == 0 ? "\(ms / 1000) s" : "\(ms) ms"
    }

    private static func clock(_ parts: tm) -> String {
        "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    }

    private static func two(_ number: some BinaryInteger) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    private static func thousandths(_ time: UInt64) -> Substring {
        String(time % 1000 + 1000).dropFirst()
    }

    private static func parts(
        _ time: UInt64,
        _ convert: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?
    ) -> tm? {
        var seconds = time_t(time / 1000)
        var parts = tm()
        return convert(&seconds, &parts) == nil ? nil : parts
    }
}
