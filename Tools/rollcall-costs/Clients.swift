import CallState
import RelayCore
import RollcallProtocol

// The clients of a job, as bytes.
extension Stage {
    /// The call of all jobs.
    static let session: ByteString = "standup-of-the-backend-team"

    /// Attends a call as an observer, and the answers are taken.
    mutating func observe(_ session: ByteString = Self.session, isTrusted: Bool) -> ConnectionID {
        let id = connect(isTrusted: isTrusted)
        var bytes = FrameSplitter.preface
        let instance = (0..<16).map { UInt8(truncatingIfNeeded: Int(id.index) >> ($0 % 4 * 8)) }
        ClientFrame.hello(Hello(clientName: "rollcall-costs", instance: instance)).encode(into: &bytes)
        var join = Join(session: session, uid: ByteString("o-\(id.index)"), device: "d")
        join.mode = .observer
        ClientFrame.join(join).encode(into: &bytes)
        read(bytes.span, from: id)
        return id
    }

    /// Brings people in: `u-000007` has the device `d-000007`, as many as a turn takes at once.
    mutating func bringIn(_ people: Range<Int>, by id: ConnectionID) {
        for person in people {
            var facts = BringIn()
            facts.name = ByteString("Person \(Self.digits(person))")
            let setting = Setting(target: Self.target(person), .bringIn(facts))
            var bytes: [UInt8] = []
            ClientFrame.command(Command(op: UInt64(person + 1), settings: [setting])).encode(into: &bytes)
            read(bytes.span, from: id)
            if person % 32 == 31 { endTurn() }
        }
        endTurn()
    }

    /// A device of a person.
    static func target(_ person: Int) -> Target {
        Target(uid: ByteString("u-\(digits(person))"), device: ByteString("d-\(digits(person))"))
    }

    private static func digits(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 6 - text.utf8.count)) + text
    }
}

/// The frame of a command that is sent again and again: its operation id and its value are written over in place, so
/// that sending costs the job next to nothing.
struct CommandTemplate {
    private(set) var bytes: [UInt8]
    private let opPlace: Int
    private let valuePlace: Int

    /// Operation ids have this many bytes: from 2^21 up to 2^28.
    static let firstOp: UInt64 = 1 << 21

    /// `value` gives the setting for two values that differ in one byte alone.
    init(_ value: (UInt8) -> Setting) {
        func frame(_ op: UInt64, _ byte: UInt8) -> [UInt8] {
            var bytes: [UInt8] = []
            ClientFrame.command(Command(op: op, settings: [value(byte)])).encode(into: &bytes)
            return bytes
        }
        let one = frame(Self.firstOp, 0)
        let other = frame(Self.firstOp + 1, 1)
        let places = one.indices.filter { one[$0] != other[$0] }
        precondition(one.count == other.count && places.count == 2, "the op and one byte of the value")
        bytes = one
        opPlace = places[0]
        valuePlace = places[1]
    }

    /// The next command.
    mutating func set(op: UInt64, value: UInt8) {
        for byte in 0..<4 {
            let group = UInt8(truncatingIfNeeded: op >> (7 * UInt64(byte))) & 0x7F
            bytes[opPlace + byte] = byte < 3 ? group | 0x80 : group
        }
        bytes[valuePlace] = value
    }
}
