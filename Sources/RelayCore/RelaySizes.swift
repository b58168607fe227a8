/// What the rules' tables take for one connection, for a tool that prints it.
package enum RelaySizes {
    /// Each part of it: its name and its bytes.
    ///
    /// Without texts of more than 15 bytes and what else a connection owns, and without the room that tables have to
    /// grow.
    package static var ofConnection: [(name: String, bytes: Int)] {
        [
            ("Connection", MemoryLayout<Connection>.stride),
            ("the entry of its deadline", Deadlines.entrySize),
            ("the order of its deadline", MemoryLayout<UInt64>.stride),
            ("its place among the call's readers", MemoryLayout<Int>.stride),
        ]
    }
}
