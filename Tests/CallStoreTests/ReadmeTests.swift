import CallState
import Foundation
import Testing

@testable import CallStore

/// What README.md of the store tells people who read attendance with SQL.
@Suite struct ReadmeTests {
    private func readme() throws -> String {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let readme = tests.appendingPathComponent("../../Sources/CallStore/README.md")
        return try String(contentsOf: readme, encoding: .utf8)
    }

    @Test("each of its queries runs and finds somebody") func queries() throws {
        let files = try Files()
        _ = try files.make()
        let database = try Database(path: files.path, access: .read)
        let blocks = try readme().components(separatedBy: "```sql\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        let queries = blocks.joined().components(separatedBy: ";\n").filter {
            !$0.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty
        }
        #expect(queries.count == 6)
        let mid = try #require(try database.texts("SELECT mid FROM meetings WHERE meeting = 1").first)
        let uid = try #require(try database.texts("SELECT uid FROM people").first)
        var found = 0
        for query in queries {
            let asked = query.replacingOccurrences(of: "'standup'", with: "'call 1'")
                .replacingOccurrences(of: "'ana'", with: "'\(uid)'")
                .replacingOccurrences(of: "the meeting id", with: mid)
                .replacingOccurrences(of: "unixepoch('now', 'start of month')", with: "0")
            let statement = try database.prepare(asked)
            var rows = 0
            while try statement.step() { rows += 1 }
            if rows > 0 { found += 1 }
        }
        #expect(found >= 4)
    }

    @Test("every table, view and column is named") func names() throws {
        let files = try Files()
        _ = try files.make(calls: 1)
        let database = try Database(path: files.path, access: .read)
        let text = try readme()
        let inner: Set<String> = ["pieces", "counted_pieces"]
        for name in try database.texts("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
        where !inner.contains(name) {
            #expect(text.contains("| `\(name)` |"), "\(name)")
            for column in try database.texts("SELECT name FROM pragma_table_info('\(name)')")
            where column != "id" {
                #expect(text.contains("`\(column)`"), "\(name).\(column)")
            }
        }
    }
}
