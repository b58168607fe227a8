import Addresses
import CLibuv
import EventLoop
import Glibc
import Testing

/// Each test lowers the limit of the whole process, so it runs in a process of its own.
@Suite("Running out of descriptors")
struct DescriptorTests {
    @Test(
        "Connections that cannot be accepted are refused and counted; later ones are served",
        arguments: Kind.allCases
    )
    func refused(_ kind: Kind) async {
        switch kind {
        case .tcp: await #expect(processExitsWith: .success) { try withoutChance { try refusesAndRecovers(.tcp) } }
        case .unix: await #expect(processExitsWith: .success) { try withoutChance { try refusesAndRecovers(.unix) } }
        }
    }

    @Test("Without a descriptor to spare the listener waits, without spinning, and takes the connection later")
    func waits() async {
        await #expect(processExitsWith: .success) { try withoutChance { try waitsAndRecovers() } }
    }

    @Test("The limit is raised as far as allowed and never lowered")
    func raise() async {
        await #expect(processExitsWith: .success) {
            lowerLimit(to: 64)
            try require(ProcessSettings.raiseDescriptorLimit(to: 100) == 100, "raised")
            try require(ProcessSettings.raiseDescriptorLimit(to: 10) == 100, "not lowered")
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let got = ProcessSettings.raiseDescriptorLimit(to: Int.max)
            try require(got >= min(Int(clamping: limit.rlim_max), 1 << 20), "as far as allowed, got \(got)")
        }
    }
}

private struct Unmet: Error { let what: String }

/// Expectations of a child process are not reported by themselves; an error is.
private func require(_ condition: Bool, _ what: String) throws {
    if !condition {
        print("not so: \(what)")
        throw Unmet(what: what)
    }
}

private func lowerLimit(to count: Int) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = rlim_t(count)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// Takes every descriptor that is left.
private func takeAll() -> [Int32] {
    var taken: [Int32] = []
    while true {
        let descriptor = rollcall_open_reserve()
        if descriptor < 0 { return taken }
        taken.append(descriptor)
    }
}

/// Runs a scene again when it says that somebody else has given back or taken a descriptor in it: the process has other
/// threads, and who gets what is chance.
private func withoutChance(_ scene: () throws -> Bool) throws {
    for _ in 0..<50 {
        // The one before has left a low limit.
        lowerLimit(to: 400)
        do {
            if try scene() { return }
        } catch is ListenError {
            continue
        }
    }
    try require(false, "nobody else gives back or takes a descriptor")
}

/// False when somebody else has given back or taken a descriptor.
private func refusesAndRecovers(_ kind: Kind) throws -> Bool {
    let directory = Directory()
    let server = try Server()
    try server.listen(kind.address(in: directory))
    // More than are taken in one go.
    let peers = (0..<100).map { _ in Peer(to: server.listeners[0].boundAddress) }
    lowerLimit(to: 200)
    let taken = takeAll()
    // Many reports mean that the listener has lost its reserve to another thread.
    server.turn("the refusals") {
        server.refused == 100 || !server.streams.isEmpty || server.acceptErrors.count > 20
    }
    guard server.streams.isEmpty, server.refused == 100 else {
        taken.forEach { rollcall_close($0) }
        server.shutDown()
        return false
    }
    try require(server.acceptErrors.allSatisfy { $0.code == .tooManyOpenFiles && $0.operation == "accept" }, "the code")
    server.turn("the ends") {
        peers.allSatisfy {
            _ = $0.receive()
            return $0.isAtEnd || $0.failure != 0
        }
    }
    let reports = server.acceptErrors.count
    for _ in 0..<100 { server.loop.runOnce(waiting: false) }
    try require(server.acceptErrors.count == reports, "quiet again")

    taken.suffix(10).forEach { rollcall_close($0) }
    let (peer, stream) = server.connect()
    try require(stream.write([5]) == .sent, "served")
    server.turn("a byte") { peer.receive() == [5] }
    server.shutDown()
    return true
}

/// False when somebody else has given back or taken a descriptor.
private func waitsAndRecovers() throws -> Bool {
    let directory = Directory()
    let server = try Server()
    lowerLimit(to: 200)
    var taken = takeAll()
    // Two for the listener and its peer, so that there is none for the listener's reserve.
    rollcall_close(taken.removeLast())
    try server.listen(Kind.tcp.address(in: directory))
    rollcall_close(taken.removeLast())
    let peer = Peer(to: server.listeners[0].boundAddress)
    let start = server.loop.now
    server.turn("a few reports") {
        server.acceptErrors.count == 3 || server.refused > 0 || !server.streams.isEmpty || peer.failure != 0
    }
    guard server.refused == 0, server.streams.isEmpty, peer.failure == 0 else {
        taken.forEach { rollcall_close($0) }
        server.shutDown()
        return false
    }
    try require(server.loop.now - start >= 200, "it looked away in between, after \(server.loop.now - start) ms")
    taken.forEach { rollcall_close($0) }
    server.turn("the connection") { server.streams.count == 1 }
    try require(peer.send([1]) == 1, "the connection lives")
    server.turn("a byte") { server.received[0] == [1] }
    server.shutDown()
    return true
}
