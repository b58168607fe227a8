import Options
import RelayCore

// How often clients may do something. Who has the admin right has none of these limits.
extension RelayOptions {
    private static let defaults = RelayConfiguration()

    static let commandRate = rate(
        "command-rate",
        defaults.commandRate,
        "Do so many settings a second for one client, or BURST at once."
    )
    static let callCommandRate = rate(
        "call-command-rate",
        defaults.callCommandRate,
        "Do so many settings a second for all clients of a call, or BURST at once."
    )
    static let frameRate = rate(
        "frame-rate",
        defaults.frameRate,
        "Read so many frames a second from one client, or BURST at once; more wait at the client."
    )
    static let joinRate = rate(
        "join-rate",
        defaults.joinRate,
        "Let so many joins a second in, or BURST at once; more are told when to come back."
    )

    static let rates = OptionGroup("Rates", [commandRate, callCommandRate, frameRate, joinRate])

    private static func rate(_ name: String, _ value: Rate, _ help: String) -> Option<Rate> {
        .value(name, .rate, default: value, help)
    }
}

extension ValueType where Value == Rate {
    /// A number a second, and how many may come at once after a rest: `100` or `100:500`; 0 is no limit.
    static var rate: ValueType {
        ValueType(
            placeholder: "RATE[:BURST]",
            accepts: "a number a second and how many at once, such as 100 or 100:500; 0 alone is no limit",
            format: { $0.isLimited ? "\($0.perSecond):\($0.burst)" : "0" },
            parse: { text in
                let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
                guard parts.count <= 2, let perSecond = parts[0], (0...Rate.maximum).contains(perSecond) else {
                    return nil
                }
                if perSecond == 0 {
                    guard parts.count == 1 else { throw RateFault.limitlessBurst }
                    return .unlimited
                }
                guard parts.count == 2 else { return Rate(perSecond: perSecond, burst: perSecond) }
                if parts[1] == 0 { throw RateFault.emptyBurst }
                guard let burst = parts[1], (1...Rate.maximum).contains(burst) else { return nil }
                return Rate(perSecond: perSecond, burst: burst)
            }
        )
    }
}

/// Why a text that looks like a rate is none.
private enum RateFault: Error, CustomStringConvertible {
    case limitlessBurst
    case emptyBurst

    var description: String {
        switch self {
        case .limitlessBurst: "0 is no limit, so that there is nothing to come at once"
        case .emptyBurst: "with a burst of 0 nothing would ever be let through"
        }
    }
}
