import Addresses
import CLibuv
import EventLoop
import Glibc
import Testing

@Suite("Listener")
struct ListenerTests {
    let directory = Directory()

    /// The error with which listening fails; closes the listener when it does not.
    private func error(
        _ server: Server,
        _ address: Address,
        access: SocketFileAccess = SocketFileAccess()
    ) throws -> ListenError? {
        do throws(ListenError) {
            _ = try Listener(loop: server.loop, address: address, access: access, delegate: server)
            return nil
        } catch { return error }
    }

    private func status(_ name: String) -> stat {
        var status = stat()
        lstat(directory.path + "/" + name, &status)
        return status
    }

    @Test("Of those who wait one is taken first, then twice as many in each turn that finds more, and at most 64")
    func batches() throws {
        let server = try Server()
        let listener = try server.listen(.unix(path: directory.path + "/s"))
        var peers: [Peer] = []
        func takenInTurns(_ count: Int) -> [Int] {
            server.loop.runOnce(waiting: false)
            peers += (0..<count).map { _ in Peer(to: listener.boundAddress) }
            var seen = [server.streams.count]
            let end = seen[0] + count
            server.turn("all are taken") {
                seen.append(server.streams.count)
                return server.streams.count == end
            }
            return zip(seen.dropFirst(2), seen.dropFirst()).map { $0 - $1 }
        }
        #expect(takenInTurns(200) == [1, 2, 4, 8, 16, 32, 64, 64, 9])
        // After a turn without any it is one again, whether the last turn found less than it would have taken or not.
        #expect(takenInTurns(7) == [1, 2, 4])
        #expect(takenInTurns(4) == [1, 2, 1])
        #expect(takenInTurns(1) == [1])
        server.shutDown()
    }

    @Test("Who is accepted over TCP has Nagle's delay turned off")
    func noDelay() throws {
        let server = try Server()
        try server.listen(.tcp(host: "127.0.0.1", port: 0))
        let (peer, stream) = server.connect()
        #expect(isUndelayed(stream) == true)
        withExtendedLifetime(peer) {}
        server.shutDown()
    }

    @Test("Port 0 is replaced by the port chosen, and the address can be read back")
    func chosenPort() throws {
        let server = try Server()
        let bound = try server.listen(.tcp(host: "127.0.0.1", port: 0)).boundAddress
        guard case .tcp("127.0.0.1", let port) = bound else {
            Issue.record("unexpected address: \(bound)")
            return
        }
        #expect(port != 0)
        #expect(try Address(parsing: "\(bound)") == bound)
        server.shutDown()
    }

    @Test("A host name is resolved", arguments: ["localhost", "127.0.0.1"])
    func hostName(_ host: String) throws {
        let server = try Server()
        let address = Address.tcp(host: host, port: 0)
        let bound = try server.listen(address).boundAddress
        #expect(bound.isLocal)
        #expect(try address.resolved().allSatisfy(\.isLocal))
        #expect(try !address.resolved().isEmpty)
        server.shutDown()
    }

    @Test("IPv6 works where the machine has it")
    func ipv6() throws {
        let server = try Server()
        let address = try Address(parsing: "tcp:[::1]:0")
        if let error = try error(server, address) {
            print("not run: this machine has no IPv6 loopback (\(error))")
            #expect(error.code == .system)
        } else {
            server.loop.shutDown()
        }
    }

    @Test("A host without an address is told")
    func unknownHost() throws {
        let server = try Server()
        let error = try error(server, .tcp(host: "no..such..host", port: 1))
        #expect(error?.code == .hostNotFound)
        #expect("\(try #require(error))".hasPrefix("cannot listen on tcp:no..such..host:1: the host"))
        #expect { try Address.tcp(host: "no..such..host", port: 1).resolved() } throws: {
            ($0 as? ListenError)?.code == .hostNotFound
        }
        #expect(try Address.unix(path: "/x").resolved() == [.unix(path: "/x")])
    }

    @Test("A TCP address that is taken is told at once")
    func addressInUse() throws {
        let server = try Server()
        let bound = try server.listen(.tcp(host: "127.0.0.1", port: 0)).boundAddress
        let error = try #require(try error(server, bound))
        #expect(error.code == .addressInUse)
        #expect(error.cause?.name == "EADDRINUSE")
        #expect(error.description == "cannot listen on \(bound): another program listens there already")
        server.shutDown()
        #expect(server.listenersClosed == 1)
    }

    @Test("An address that this machine does not have is told with the system's reason")
    func foreignAddress() throws {
        let server = try Server()
        let error = try error(server, .tcp(host: "192.0.2.1", port: 0))
        #expect(error?.code == .system)
        #expect(error?.cause?.name == "EADDRNOTAVAIL")
        #expect(error?.cause?.operation == "bind")
    }

    @Test("The socket of a running server is left alone")
    func liveSocket() throws {
        let server = try Server()
        let address = Kind.unix.address(in: directory)
        let first = try server.listen(address)
        let inode = status("s").st_ino
        let error = try #require(try error(server, address))
        #expect(error.code == .addressInUse)
        #expect(error.description == "cannot listen on \(address): address in use by a running server")
        #expect(status("s").st_ino == inode)
        // The probe of the second server is a connection that ends at once; the first still serves.
        let before = server.streams.count
        let peer = Peer(to: first.boundAddress)
        server.turn("both connections") { server.streams.count == before + 2 }
        withExtendedLifetime(peer) { server.shutDown() }
        #expect(!directory.exists("s"))
    }

    @Test("The socket of a server with a full backlog is not taken for stale")
    func fullBacklog() throws {
        let server = try Server()
        let address = Kind.unix.address(in: directory)
        _ = try Listener(loop: server.loop, address: address, backlog: 1, delegate: server)
        var peers: [Peer] = []
        repeat { peers.append(Peer(to: address)) } while peers.last?.failure == 0
        #expect(peers.last?.failure == -EAGAIN)
        #expect(try error(server, address)?.code == .addressInUse)
        server.shutDown()
    }

    @Test("The socket of a dead server is replaced")
    func staleSocket() throws {
        let path = directory.path + "/s"
        let dead = rollcall_stream_socket(AF_UNIX)
        #expect(rollcall_unix_bind(dead, path, path.utf8.count) == 0)
        #expect(rollcall_listen(dead, 1) == 0)
        rollcall_close(dead)
        let before = status("s")
        #expect(before.st_mode & S_IFMT == S_IFSOCK)
        let server = try Server()
        try server.listen(.unix(path: path))
        let (peer, stream) = server.connect()
        #expect(stream.write([9]) == .sent)
        server.turn("a byte") { peer.receive() == [9] }
        server.shutDown()
        #expect(!directory.exists("s"))
    }

    @Test("What is not a socket is never removed", arguments: ["file", "directory", "link", "pipe"])
    func notASocket(_ what: String) throws {
        let path = directory.path + "/" + what
        switch what {
        case "file": rollcall_close(creat(path, 0o600))
        case "directory": mkdir(path, 0o700)
        case "link": symlink("/nowhere", path)
        default: mkfifo(path, 0o600)
        }
        let before = status(what)
        let server = try Server()
        let error = try #require(try error(server, .unix(path: path)))
        #expect(error.code == .notASocket)
        #expect(error.message.hasSuffix("at this path; it was left alone"))
        let words = ["file": "a regular file", "directory": "a directory", "link": "a symbolic link"]
        #expect(error.message.contains(words[what] ?? "something that is not a socket"))
        #expect(status(what).st_ino == before.st_ino)
        #expect(status(what).st_mode == before.st_mode)
        if what == "directory" { rmdir(path) }
    }

    @Test("A path as long as allowed works, and one byte more is told")
    func pathLength() throws {
        let limit = rollcall_unix_path_limit()
        let longest = directory.path + "/" + String(repeating: "x", count: limit - directory.path.utf8.count - 1)
        let server = try Server()
        try server.listen(.unix(path: longest))
        #expect(server.connect().stream.transport == .unix)
        let error = try #require(try error(server, .unix(path: longest + "x")))
        #expect(error.code == .pathTooLong)
        #expect(error.message == "the path has \(limit + 1) bytes; the system allows a UNIX socket at most \(limit)")
        server.shutDown()
    }

    @Test("A directory that does not exist is told")
    func noDirectory() throws {
        let server = try Server()
        let error = try error(server, .unix(path: directory.path + "/no/s"))
        #expect(error?.code == .system)
        #expect(error?.cause?.name == "ENOENT")
    }

    @Test("Mode and owner of the socket are set", arguments: [0o600, 0o660, 0o777] as [UInt16])
    func access(_ mode: UInt16) throws {
        let server = try Server()
        let isRoot = getuid() == 0
        // Only root may give files away; others may name themselves.
        let user = isRoot ? "1" : "\(getuid())"
        let group = isRoot ? "2" : "\(getgid())"
        let access = SocketFileAccess(mode: mode, user: user, group: group)
        try server.listen(Kind.unix.address(in: directory), access: access)
        #expect(status("s").st_mode & 0o7777 == mode_t(mode))
        #expect("\(status("s").st_uid)" == user)
        #expect("\(status("s").st_gid)" == group)
        server.shutDown()
    }

    @Test("Owners have names, too, and an unknown one is told and leaves no socket")
    func owner() throws {
        let server = try Server()
        if let me = getpwuid(getuid()) {
            let access = SocketFileAccess(user: String(cString: me.pointee.pw_name))
            try server.listen(Kind.unix.address(in: directory), access: access)
            #expect(status("s").st_uid == getuid())
            server.listeners[0].close()
        }
        for access in [SocketFileAccess(user: "no such user"), SocketFileAccess(group: "no such group")] {
            let error = try #require(try error(server, Kind.unix.address(in: directory), access: access))
            #expect(error.code == .ownerNotFound)
            let name = access.user ?? access.group ?? ""
            #expect(
                error.message == "there is no \(access.user == nil ? "group" : "user") \"\(name)\" to own the socket"
            )
            #expect(!directory.exists("s"))
        }
        server.shutDown()
    }

    @Test("At close the file is removed only if it is still the listener's")
    func replacedFile() throws {
        let server = try Server()
        let address = Kind.unix.address(in: directory)
        let first = try server.listen(address)
        unlink(directory.path + "/s")
        let second = try server.listen(address)
        first.close()
        #expect(directory.exists("s"))
        #expect(server.connect(to: second).stream.transport == .unix)
        second.close()
        #expect(!directory.exists("s"))
        server.shutDown()
        #expect(server.listenersClosed == 2)
    }

    @Test("A closed listener takes no more connections", arguments: Kind.allCases)
    func closed(_ kind: Kind) throws {
        let server = try Server()
        let listener = try server.listen(kind.address(in: directory))
        let (peer, stream) = server.connect()
        listener.close()
        let late = Peer(to: listener.boundAddress)
        server.turn("the listener's end") { server.listenersClosed == 1 }
        if kind == .unix { #expect(late.failure == -ENOENT) }
        #expect(server.streams.count == 1)
        #expect(stream.write([1]) == .sent, "its streams live on")
        withExtendedLifetime(peer) { server.shutDown() }
    }
}
