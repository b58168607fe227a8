// Plays the meeting of Tools/demo against a relay that runs already:
//     rollcall-demo ADDRESS SESSION
// It says when to begin to watch, by the line "+ watching".

import CallState
import Foundation
import Rollcall
import ToolSupport

let output = TextOutput(1)
let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 2, let text = arguments.first, let session = arguments.last else {
    FileHandle.standardError.write(Data("usage: rollcall-demo ADDRESS SESSION\n".utf8))
    exit(64)
}
do {
    let meeting = Meeting(relay: try Address.parse(text), session: session)
    try await meeting.begin()
    try output.line(
        "  call       \(session): ana, ben and chloe are in; ben is muted with his hand up, chloe's is second,"
    )
    try output.line("             ana presents and records")
    try output.line("  + dan joins late ...")
    let seen = try await meeting.joinLate()
    try output.line("  dan sees at once, at position \(seen.position):\n")
    let roster = Roster(session: ByteString(session), state: seen.confirmed)
    let now = UInt64(Date().timeIntervalSince1970 * 1_000)
    let width = output.terminal.width.map { $0 - 4 }
    try output.lines(roster.lines(now: now, width: width, colors: output.terminal.hasColors).map { "    " + $0 })
    let digests = await meeting.digests(at: seen.position)
    try output.line("    digest \(digests.count == 1 ? "equal" : "NOT equal") on all \(meeting.clients) clients\n")
    guard digests == [seen.digest] else { exit(70) }
    try output.line("  + watching")
    try await meeting.goOn()
    await meeting.end()
} catch {
    FileHandle.standardError.write(Data("rollcall-demo: \(error)\n".utf8))
    exit(70)
}
