import CallState
import Foundation
import Options
import RollcallProtocol
import TestSupport
import Testing

/// What the probe does without a relay: help, decoding, and its exit codes.
struct ProbeExitTests {
    @Test func `Help and version need no relay`() async throws {
        let help = try await runProbe(["--help"])
        #expect(help.status == 0)
        #expect(help.output.hasPrefix("Usage: rollcall-probe COMMAND"))
        let commands = help.output.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^  ([a-z]+)  +[A-Z]/).map { String($0.1) }
        }
        #expect(
            commands == [
                "calls", "snapshot", "watch", "attendance", "conns", "set", "ping", "verify", "decode", "fault",
                "completions", "keys",
            ]
        )
        for command in commands {
            let help = try await runProbe([command, "--help"])
            #expect(help.status == 0)
            #expect(help.output.hasPrefix("Usage: rollcall-probe \(command)"))
            #expect(help.output.contains("Settings:") == (command == "set"))
        }
        #expect(try await runProbe(["--version"]).output == "rollcall-probe \(ProductVersion.text)\n")
        #expect(try await runProbe(["keys"]).output.contains("watch: one line for each change"))
    }

    @Test(arguments: [
        ([], "a command is missing"), (["cals"], "did you mean calls"), (["watch"], "SESSION is missing"),
        (["watch", "s", "--field", "hnd"], "did you mean hand"),
        (["calls", "--conect", "x"], "did you mean --connect"),
        (["calls", "--connect", "http://x"], "unix:/path or tcp:host:port"), (["set", "s"], "--as is missing"),
        (["set", "s", "--as", "ana"], "SETTINGS is missing"),
        (["set", "s", "--as", "ana", "mic=loud"], "mic=on|muted"),
        (["calls", "extra"], "an argument too many"), (["ping", "--count", "0"], "a whole number from 1"),
        (["verify", "s", "--for", "5"], "a duration such as"), (["completions", "tcsh"], "bash, zsh, fish"),
        (["attendance", "--since", "yesterday"], "2026-11-30T14:02"), (["attendance", "--until", "25h:00"], "--until"),
        (["attendance", "--since", "1h", "--until", "2h"], "--since is not before --until"),
        (["attendance", "--json", "--csv"], "give one of them"), (["attendance", "--only", "over"], "running, ended"),
        (["attendance", "--limit", "0"], "a whole number from 1"), (["attendance", "a", "b"], "an argument too many"),
    ])
    func `A wrong command line ends with 64 and says what is right`(arguments: [String], text: String) async throws {
        let ending = try await runProbe(arguments)
        #expect(ending.status == 64)
        #expect(ending.errors.contains(text), "\(ending.errors)")
        #expect(ending.output == "")
    }

    @Test func `A relay that is not there ends with 69 and says what to do`() async throws {
        let folder = try Scratch()
        let address = "unix:\(folder.path)/none.sock"
        for command in [
            ["calls"], ["snapshot", "s"], ["watch", "s"], ["conns"], ["ping"], ["verify", "s"], ["attendance"],
        ] {
            let ending = try await runProbe(command, environment: ["ROLLCALL_CONNECT": address])
            #expect(ending.status == 69, "\(command)")
            #expect(ending.errors.contains("rollcall-relay --listen \(address)"), "\(command)")
        }
        // The option is stronger than the environment.
        let other = try await runProbe(
            ["calls", "--connect", "unix:/nowhere"],
            environment: ["ROLLCALL_CONNECT": address]
        )
        #expect(other.errors.contains("unix:/nowhere"))
    }

    @Test func `Frames are decoded from bytes and from hexadecimal`() async throws {
        var bytes = FrameSplitter.preface
        ClientFrame.hello(Hello(clientName: "test", instance: Array(1...8))).encode(into: &bytes)
        let binary = try await runProbe(["decode", "-"], input: bytes)
        #expect(binary.status == 0)
        #expect(binary.output.split(separator: "\n").count == 2)
        #expect(binary.output.contains("client  hello (22 bytes)  min_version: 1"))

        let folder = try Scratch()
        let file = folder.path + "/capture.hex"
        try Data(bytes.map { String(format: "%02x", $0) }.joined(separator: " ").utf8).write(
            to: URL(fileURLWithPath: file)
        )
        let hex = try await runProbe(["decode", file])
        #expect(hex.output == binary.output)
        let json = try await runProbe(["decode", file, "--json"])
        #expect(json.output.contains(#""frame":"hello","message":{"min_version":1,"#))
    }

    @Test func `A wrong frame ends with 65, a missing file with 66, no room with 74`() async throws {
        let bad = try await runProbe(["decode", "-", "--from", "client"], input: [0, 0, 0, 1, 0xFF])
        #expect(bad.status == 65)
        #expect(bad.output.contains("error: byte 4"))
        #expect(bad.errors.contains("begins at byte 0"))
        #expect(try await runProbe(["decode", "/nowhere/capture"]).status == 66)
        if let full = FileHandle(forWritingAtPath: "/dev/full") {
            let ending = try await ChildProcess(built: "rollcall-probe", ["keys"], standardOutput: full).ending()
            #expect(ending.status == 74)
            #expect(ending.errors.contains("can't write: No space left"))
        }
    }

    @Test func `A reader that has gone ends the probe quietly`() async throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let probe = try ChildProcess(built: "rollcall-probe", ["keys"], standardOutput: pipe.fileHandleForWriting)
        let ending = await probe.ending()
        #expect(ending.status == 0)
        #expect(ending.errors == "")
    }

    @Test func `What listens but is no relay ends with 76`() async throws {
        let folder = try Scratch()
        let path = folder.path + "/other.sock"
        let listener = try SilentListener(path: path, greeting: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        let ending = try await runProbe(["calls", "--connect", "unix:\(path)"])
        #expect(ending.status == 76, "\(ending.errors)")
        #expect(ending.errors.contains("Is it a relay"))
        listener.stop()
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `There are completions for each shell`(shell: String) async throws {
        let ending = try await runProbe(["completions", shell])
        #expect(ending.status == 0)
        for word in ["snapshot", "watch", "mute=", "connect", "completions sessions"] {
            #expect(ending.output.contains(word))
        }
    }

    @Test func `Bash completes commands, options and settings`() async throws {
        let script = try await runProbe(["completions", "bash"]).output
        let test =
            script + """

                compopt() { :; }
                try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rollcall_probe; echo "${COMPREPLY[*]}"; }
                try rollcall-probe sn
                try rollcall-probe watch s --fi
                try rollcall-probe set s han
                """
        let bash = try await ChildProcess.run("/bin/bash", ["--norc", "-c", test])
        #expect(bash.output == "snapshot\n--field\nhand= hands=\n")
    }
}

/// Accepts one connection, sends a greeting, and reads no more.
final class SilentListener: Sendable {
    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let quietly = Int32(MSG_NOSIGNAL)
    #else
        private static let stream = SOCK_STREAM
        private static let quietly: Int32 = 0
    #endif

    private let descriptor: Int32

    init(path: String, greeting: [UInt8]) throws {
        descriptor = socket(AF_UNIX, Self.stream, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        guard isBound, listen(descriptor, 4) == 0 else { throw POSIXError(.EADDRINUSE) }
        Thread.detachNewThread { [descriptor] in
            let connection = accept(descriptor, nil, nil)
            if connection < 0 { return }
            _ = greeting.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Self.quietly) }
            var block = [UInt8](repeating: 0, count: 1024)
            while recv(connection, &block, block.count, 0) > 0 {}
            close(connection)
        }
    }

    func stop() { close(descriptor) }
}
