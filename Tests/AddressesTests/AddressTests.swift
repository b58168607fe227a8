import Addresses
import Testing

@Suite("Address")
struct AddressTests {
    @Test(
        "Every form is read and written back",
        arguments: [
            ("unix:/run/rollcall.sock", .unix(path: "/run/rollcall.sock")),
            ("unix:relative", .unix(path: "relative")),
            ("unix:/a:b", .unix(path: "/a:b")),
            ("tcp:127.0.0.1:7420", .tcp(host: "127.0.0.1", port: 7420)),
            ("tcp:localhost:0", .tcp(host: "localhost", port: 0)),
            ("tcp:[::1]:65535", .tcp(host: "::1", port: 65535)),
            ("tcp:[fe80::1%lo]:1", .tcp(host: "fe80::1%lo", port: 1)),
        ] as [(String, Address)]
    )
    func forms(_ text: String, _ address: Address) throws {
        #expect(try Address(parsing: text) == address)
        #expect(address.description == text)
    }

    @Test(
        "Every mistake is told",
        arguments: [
            ("", "it must start with unix: or tcp:, as in unix:/run/rollcall.sock or tcp:127.0.0.1:7420"),
            ("/run/s", "it must start with unix: or tcp:, as in unix:/run/rollcall.sock or tcp:127.0.0.1:7420"),
            ("unix:", "the path is missing; write unix:/path/to/socket"),
            ("unix:/a\0b", "it contains a NUL byte"),
            ("tcp:localhost", "the port is missing; write tcp:127.0.0.1:7420"),
            ("tcp::1", "the host is missing; to listen on all interfaces write tcp:0.0.0.0:7420"),
            ("tcp:::1:7420", "an IPv6 address must be in brackets, as in tcp:[::1]:7420"),
            ("tcp:[::1:7420", "the ] after the IPv6 address is missing"),
            ("tcp:[::1]", "the port is missing; write tcp:[::1]:7420"),
            ("tcp:[localhost]:1", "what is in brackets must be an IPv6 address"),
            ("tcp:h:", "the port must be a number from 0 to 65535"),
            ("tcp:h:65536", "the port must be a number from 0 to 65535"),
            ("tcp:h:+1", "the port must be a number from 0 to 65535"),
            ("tcp:h:x", "the port must be a number from 0 to 65535"),
        ]
    )
    func mistakes(_ text: String, _ reason: String) {
        #expect { try Address(parsing: text) } throws: { error in
            (error as? AddressError)?.reason == reason && "\(error)" == "cannot use the address \"\(text)\": \(reason)"
        }
    }

    @Test("UNIX sockets and numeric loopback addresses are local, names and others are not")
    func local() throws {
        for text in ["unix:/s", "tcp:127.0.0.1:1", "tcp:127.9.9.9:1", "tcp:[::1]:1", "tcp:[::ffff:127.0.0.1]:1"] {
            #expect(try Address(parsing: text).isLocal)
        }
        for text in ["tcp:0.0.0.0:1", "tcp:localhost:1", "tcp:[::]:1", "tcp:127.example.org:1", "tcp:10.0.0.1:1"] {
            #expect(try !Address(parsing: text).isLocal)
        }
    }

    @Test(
        "The standard address is in the user's directory for sockets when there is a usable one",
        arguments: [
            ("/run/user/7", "unix:/run/user/7/rollcall.sock"), ("/run/user/7//", "unix:/run/user/7/rollcall.sock"),
            ("/", "unix:/rollcall.sock"), (nil, "unix:/tmp/rollcall.sock"), ("", "unix:/tmp/rollcall.sock"),
            ("run/user", "unix:/tmp/rollcall.sock"),
            ("/" + String(repeating: "x", count: 88), "unix:/" + String(repeating: "x", count: 88) + "/rollcall.sock"),
            ("/" + String(repeating: "x", count: 89), "unix:/tmp/rollcall.sock"),
        ] as [(String?, String)]
    )
    func standard(_ directory: String?, _ text: String) {
        #expect(Address.standard(runtimeDirectory: directory).description == text)
    }
}
