import CallState
import Foundation
import Rollcall
import RollcallProtocol

/// A well-behaved client and somebody who keeps the call busy in a way that can be repeated to the byte.
///
/// Nothing that is sent depends on the time: only then the deltas of two runs can be compared.
final class Witness {
    private let driver: BareAttendance
    private let witness: BareAttendance
    private var count = 0

    /// Enters a call of its own.
    init(_ address: Address, session: String) throws {
        var join = Join(session: ByteString(session), uid: "driver", device: "load")
        join.idle = 0
        driver = try BareAttendance(address, join)
        var watch = Join(session: ByteString(session), uid: "witness", device: "load")
        watch.mode = .observer
        witness = try BareAttendance(address, watch)
    }

    /// The bytes of every delta that the witness has got.
    var deltas: [[UInt8]] { witness.deltas }

    /// The longest that the witness had to wait for a change.
    private(set) var worst = Duration.zero

    /// Makes one change and waits until the witness has it.
    func step() throws {
        let start = ContinuousClock.now
        let ack = try driver.command([Self.setting(count)])
        if ack.code != .ok { throw SocketError("a change was refused: \(ack.code.rawValue) \(ack.text)") }
        try witness.reach(ack.position)
        worst = max(worst, .now - start)
        count += 1
    }

    /// How many changes were made.
    var steps: Int { count }

    /// The change with that number: each differs from the one before, and most are heavy.
    private static func setting(_ number: Int) -> Setting {
        switch number % 4 {
        case 0: return Setting(.audioMuted(number % 8 != 0))
        case 1: return Setting(.name(ByteString("Name \(number)")))
        default:
            let byte = UInt8(ascii: "a") + UInt8(number % 26)
            let value = Array("\(number) ".utf8) + [UInt8](repeating: byte, count: 900)
            return Setting(.attribute(Attribute(key: ByteString("key-\(number % 16)"), value: value)))
        }
    }
}
