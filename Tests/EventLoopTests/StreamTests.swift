import EventLoop
import Testing

@Suite("Stream")
struct StreamTests {
    let directory = Directory()

    @Test("What comes in goes out again, on both transports", arguments: Kind.allCases)
    func echo(_ kind: Kind) throws {
        let server = try Server()
        try server.listen(kind.address(in: directory))
        server.onRead = { stream, bytes in #expect(stream.write(bytes) == .sent) }
        let (peer, stream) = server.connect()
        #expect(stream.transport == (kind == .tcp ? .tcp : .unix))

        var back: [UInt8] = []
        for word in ["one", "two", "three"] {
            #expect(peer.send(Array(word.utf8)) == word.utf8.count)
            let expected = back.count + word.utf8.count
            server.turn("an echo") {
                back += peer.receive()
                return back.count >= expected
            }
        }
        #expect(String(decoding: back, as: UTF8.self) == "onetwothree")
        peer.close()
        server.turn("the end") { server.causes[0] != nil }
        #expect(server.causes[0] == [.endOfStream])
        server.shutDown()
        #expect(server.listenersClosed == 1)
    }
}
