import Foundation
import Testing

/// The files in `Protocol/vectors`.
enum Vectors {
    /// The files of one message each.
    static let messages = [
        "hello", "join", "command", "speaking", "pong", "resync", "leave", "authenticate", "peek", "list", "inspect",
        "welcome", "joined", "snapshot", "snapshot_part", "delta", "ack", "ping", "notice", "closed", "error",
        "call_list", "connection_list",
    ]

    /// One vector: its members as they are.
    struct Vector {
        let file: String
        let members: [String: Any]

        var name: String { "\(file)/\(text("name"))" }
        var direction: String { text("direction") }
        /// The message without its length.
        var message: [UInt8] { Array([UInt8](hex: text("hex")).dropFirst(4)) }

        func text(_ member: String) -> String { members[member] as? String ?? "" }
        func number(_ member: String) -> Int { (members[member] as? NSNumber)?.intValue ?? -1 }
        func flag(_ member: String) -> Bool { (members[member] as? NSNumber)?.boolValue ?? false }
    }

    /// The parsed content of a file.
    static func json(_ file: String) throws -> Any {
        let url = Oracle.root.appendingPathComponent("Protocol/vectors/\(file).json")
        return try JSONSerialization.jsonObject(with: Data(contentsOf: url))
    }

    /// The vectors of a file that is an array.
    static func load(_ file: String) throws -> [Vector] {
        let array = try #require(try json(file) as? [[String: Any]])
        try #require(!array.isEmpty)
        return array.map { Vector(file: file, members: $0) }
    }

    /// Every vector that is a legal frame of this version.
    static func all() throws -> [Vector] { try messages.flatMap { try load($0) } }
}
