import EventLoop
import Testing

@Suite("Random numbers of the system")
struct SystemNumbersTests {
    @Test("no number comes twice, over several draws and in two sources")
    func differ() {
        var one = SystemNumbers()
        var other = SystemNumbers()
        var seen: Set<UInt64> = []
        for _ in 0..<200 {
            seen.insert(one.next())
            seen.insert(other.next())
        }
        #expect(seen.count == 400)
    }

    @Test("a copy gives what was drawn before, and then goes on alone")
    func copies() {
        var one = SystemNumbers()
        _ = one.next()
        var copy = one
        #expect(one.next() == copy.next())
        for _ in 0..<31 {
            _ = one.next()
            _ = copy.next()
        }
        #expect(one.next() != copy.next())
    }
}
