import Foundation

/// What the system holds for TCP connections of this machine (Linux).
enum KernelQueues {
    /// The bytes in the send queues of all connections from local port `local`; nil where that can't be read.
    static func bytesToSend(from local: UInt16) -> Int? {
        // Read to its end: the system does not tell how long such a file is.
        guard let file = FileHandle(forReadingAtPath: "/proc/net/tcp"), let data = try? file.readToEnd() else {
            return nil
        }
        let table = String(decoding: data, as: UTF8.self)
        var sum = 0
        for line in table.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            // 01 is an established connection.
            guard words.count > 4, port(words[1]) == local, words[3] == "01" else { continue }
            sum += words[4].split(separator: ":").first.flatMap { Int($0, radix: 16) } ?? 0
        }
        return sum
    }

    private static func port(_ address: Substring) -> UInt16? {
        address.split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
    }
}
