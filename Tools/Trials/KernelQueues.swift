import Foundation

/// What the system holds for TCP connections of this machine (Linux).
enum KernelQueues {
    /// The bytes in the send queue of the connection from local port `local` to port `remote`, and in its receive
    /// queue; nil where that can't be read.
    static func bytes(from local: UInt16, to remote: UInt16) -> (sending: Int, receiving: Int)? {
        guard let table = try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8) else { return nil }
        for line in table.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            guard words.count > 4, port(words[1]) == local, port(words[2]) == remote else { continue }
            let queues = words[4].split(separator: ":").map { Int($0, radix: 16) ?? 0 }
            return queues.count == 2 ? (queues[0], queues[1]) : nil
        }
        return nil
    }

    private static func port(_ address: Substring) -> UInt16? {
        address.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
    }
}
