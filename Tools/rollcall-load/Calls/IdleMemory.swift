import CallState
import Foundation
import Rollcall
import RollcallProtocol
import ToolSupport

/// How much a relay's resident memory grows for clients that are connected and do nothing.
struct IdleMemory: Sendable {
    /// How many clients were connected.
    var clients: Int
    /// Resident bytes before and with them.
    var before: Int
    /// See ``before``.
    var with: Int

    /// The growth per client.
    var bytesPerClient: Int { max(0, with - before) / max(1, clients) }

    /// One line for people.
    var line: String {
        "memory: \(bytesPerClient) bytes per idle client (\(clients) observers; resident \(before / 1024) -> \(with / 1024) KiB)"
    }

    /// Connects observers to one call with one person in it, and looks at the relay's process.
    static func measure(_ address: Address, relayPID: Int, clients: Int) throws -> IdleMemory {
        let session = ByteString("load-idle-\(String(UInt64.random(in: .min ... .max), radix: 36))")
        var host = Join(session: session, uid: "host", device: "load")
        host.idle = 0
        let person = try BareAttendance(address, host)
        // The first few connections make the relay allocate what it keeps for all.
        var attendances: [BareAttendance] = []
        for index in 0..<20 { attendances.append(try observer(address, session, index)) }
        let before = try resident(relayPID)
        for index in 0..<clients { attendances.append(try observer(address, session, 20 + index)) }
        let with = try resident(relayPID)
        withExtendedLifetime((person, attendances)) {}
        return IdleMemory(clients: clients, before: before, with: with)
    }

    private static func observer(_ address: Address, _ session: ByteString, _ index: Int) throws -> BareAttendance {
        var join = Join(session: session, uid: ByteString("idle-\(index)"), device: "load")
        join.mode = .observer
        let attendance = try BareAttendance(address, join)
        attendance.connection.dropBuffer()
        return attendance
    }

    /// The resident memory of a process, in bytes.
    static func resident(_ pid: Int) throws -> Int {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let kibibytes = line.split(separator: " ").compactMap({ Int($0) }).first
        else {
            throw ToolError(
                .noInput,
                "the memory of process \(pid) can't be read",
                advice: "Give the relay's process id."
            )
        }
        return kibibytes * 1024
    }
}
