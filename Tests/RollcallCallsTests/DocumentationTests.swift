import Foundation
import TestSupport
import Testing

@Suite("The pages of documentation")
struct DocumentationTests {
    private static let catalogue = "Sources/RollcallCalls/RollcallCalls.docc"

    /// The lines of code without their indentation, as one text.
    private func flat(_ code: some StringProtocol) -> String {
        code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
    }

    /// The fenced Swift of a page.
    private func samples(in page: String) -> [String] {
        page.matches(of: /(?s)```swift\n(.*?)```/).map { flat($0.1) }
    }

    @Test("Their Swift is code that is compiled with these tests")
    func code() throws {
        let compiled = flat(
            try String(
                contentsOfFile: Places.file("Tests/RollcallCallsTests/DocumentationCode.swift"),
                encoding: .utf8
            )
        )
        let folder = Places.file(Self.catalogue)
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }.sorted()
        var count = 0
        for name in pages {
            for sample in samples(in: try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) {
                #expect(compiled.contains(sample), "\(name)")
                count += 1
            }
        }
        #expect(pages.contains("FromEventsToState.md") && count >= 10)
    }

    @Test("The rules that the guide names are there")
    func rules() throws {
        let folder = Places.file(Self.catalogue)
        let guide = try String(contentsOfFile: "\(folder)/FromEventsToState.md", encoding: .utf8)
        let rules = try String(contentsOfFile: "\(folder)/ListenerRules.md", encoding: .utf8)
        let named = Set(guide.matches(of: /L-[0-9]+/).map { String($0.0) })
        let known = Set(rules.matches(of: /\* \*\*(L-[0-9]+)\*\*/).map { String($0.1) })
        #expect(named.count >= 10 && named.isSubset(of: known))
    }

    @Test("A sample that is not compiled is found")
    func planted() {
        let page = "Text.\n\n```swift\nfinal class Nothing {\n    let a = 1\n}\n```\n"
        #expect(samples(in: page) == ["final class Nothing {\nlet a = 1\n}"])
        #expect(flat("  final class Nothing {\n let a = 1\n\n}").contains(samples(in: page)[0]))
        #expect(!flat("final class Something {}").contains(samples(in: page)[0]))
    }
}
