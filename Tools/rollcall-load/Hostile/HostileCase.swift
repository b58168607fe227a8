import RollcallProtocol

/// One way of being a bad client.
enum HostileCase: String, CaseIterable, Sendable {
    /// Connects and says nothing.
    case noPreface = "no-preface"
    /// Begins with another protocol.
    case wrongPreface = "wrong-preface"
    /// Claims a frame of 4 GiB.
    case hugeFrame = "huge-frame"
    /// Sends half of its Hello, then nothing.
    case halfHello = "half-hello"
    /// Says Hello, sends half of a Join, then nothing.
    case halfFrame = "half-frame"
    /// Says Hello, then sends frames of noise.
    case garbage
    /// 10,000 connections that say nothing.
    case crowd
    /// Observes the busy call and never reads.
    case deaf

    /// What it does, for people.
    var summary: String {
        switch self {
        case .noPreface: "connects and says nothing"
        case .wrongPreface: "speaks HTTP"
        case .hugeFrame: "claims a frame of 4 GiB"
        case .halfHello: "sends half a Hello, then nothing"
        case .halfFrame: "sends Hello and half a Join, then nothing"
        case .garbage: "sends Hello and frames of noise"
        case .crowd: "10,000 connections that say nothing"
        case .deaf: "never reads while the call is busy"
        }
    }

    /// The codes with which the relay may end the connection.
    var codes: Set<Code> {
        switch self {
        case .noPreface, .halfHello: [.helloTimeout]
        case .wrongPreface: [.badPreface]
        case .hugeFrame: [.badFrame]
        case .halfFrame: [.silent]
        case .garbage: [.badFrame, .unsupported]
        // A relay that has as many connections as it may have refuses further ones at once.
        case .crowd: [.helloTimeout, .limit, .overload]
        case .deaf: [.lagged]
        }
    }

    /// Whether the connection may end without a code: whoever does not read can't be told.
    var mayEndSilently: Bool { self == .deaf }

    /// How many connections it makes.
    var connections: Int {
        switch self {
        case .garbage: 20
        case .crowd: 10_000
        default: 1
        }
    }
}

/// The times after which the relay gives up, as its operator set them.
struct HostileTimes: Sendable {
    /// For preface and Hello.
    var hello: Duration
    /// For a connection that takes nothing.
    var stall: Duration
    /// How much longer than that an end may take, on a busy machine.
    var margin: Duration = .seconds(10)
}

/// What became of a hostile case; the generator prints it as one line of JSON.
struct HostileOutcome: Codable, Sendable {
    /// How often each end occurred: `Closed(4000)`, or the way in which the connection ended without a code.
    var ends: [String: Int] = [:]
    /// Seconds from the first byte or connection to the last end.
    var seconds: Double = 0
    /// What people should know besides, such as the descriptor limit.
    var notes: [String] = []

    /// What is wrong with it, a line each; empty when every connection got what it must.
    func failures(of hostile: HostileCase) -> [String] {
        var lines: [String] = []
        let allowed = Set(hostile.codes.map { Self.closed($0) })
        for (end, count) in ends.sorted(by: { $0.key < $1.key }) where !allowed.contains(end) {
            if hostile.mayEndSilently, end.hasPrefix(Self.ended) { continue }
            lines.append("\(count) connections: \(end), expected \(allowed.sorted().joined(separator: " or "))")
        }
        let count = ends.values.reduce(0, +)
        if count < hostile.connections {
            lines.append("only \(count) of \(hostile.connections) connections could be made")
        }
        return lines
    }

    /// The end by Closed.
    static func closed(_ code: Code) -> String { "Closed(\(code.rawValue))" }
    /// How an end without a code begins.
    static let ended = "ended without a code"
    /// The connection lived on beyond its time.
    static let alive = "still open"
}
