package import Foundation
import Synchronization

/// A program that a test has started: its lines as they come, and its end.
///
/// Every descriptor of it is closed in all other children, so that the end of its output is the end of the program; and
/// nothing polls.
package final class ChildProcess: Sendable {
    /// What a program has said and how it ended.
    package struct Ending: Sendable {
        /// The exit status; negative is the signal that ended it.
        package var status: Int32
        /// What was written to standard output and not read line by line before.
        package var output: String
        /// What was written to standard error.
        package var errors: String
    }

    /// Which signals the child finds blocked at its start.
    package enum SignalMask: Sendable {
        /// None, as from a shell.
        case none
        /// All: the worst that a parent can hand down.
        case all
    }

    /// The process id.
    package let pid: Int32
    /// The lines of standard output; none when it goes elsewhere.
    package let output: LineReader
    /// The lines of standard error.
    package let errors: LineReader

    private static let starting = Mutex<Void>(())

    private let input: FileHandle
    private let ended: AsyncStream<Int32>

    /// How the program ended; nil while it runs.
    private final class Status: Sendable {
        let value = Mutex<Int32?>(nil)
    }
    private let status = Status()

    /// Starts the program at `path`.
    ///
    /// - Parameters:
    ///   - environment: Added to this process's own, without the variables of the tools.
    ///   - input: Given on standard input, which then ends; nil keeps it open for ``write(_:)``.
    ///   - standardOutput: Where the output goes instead of to the test.
    package init(
        _ path: String,
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        input: [UInt8]? = nil,
        standardOutput: FileHandle? = nil,
        blocking mask: SignalMask = .none
    ) throws {
        // One start at a time: between a pipe's making and its marking another child would inherit it.
        let (stdin, stdout, stderr, pid) = try Self.starting.withLock { _ in
            let (stdin, stdout, stderr) = try (ClosedPipe(), ClosedPipe(), ClosedPipe())
            let out = standardOutput?.fileDescriptor ?? stdout.writing
            let pid = try Self.spawn(path, arguments, environment, (stdin.reading, out, stderr.writing), mask)
            return (stdin, stdout, stderr, pid)
        }
        self.pid = pid
        for descriptor in [stdin.reading, stdout.writing, stderr.writing] { close(descriptor) }
        self.input = FileHandle(fileDescriptor: stdin.writing, closeOnDealloc: true)
        output = LineReader(FileHandle(fileDescriptor: stdout.reading, closeOnDealloc: true))
        errors = LineReader(FileHandle(fileDescriptor: stderr.reading, closeOnDealloc: true))
        let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.ended = ended
        // A thread of its own waits in the system: the pool of tasks is small.
        Thread.detachNewThread { [status] in
            let end = Self.wait(for: pid)
            status.value.withLock { $0 = end }
            continuation.yield(end)
            continuation.finish()
        }
        if let input {
            // A program that does not read its input has closed it.
            try? self.input.write(contentsOf: Data(input))
            try? self.input.close()
        }
    }

    /// Starts a program of this build.
    package convenience init(
        built name: String,
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        input: [UInt8]? = nil,
        standardOutput: FileHandle? = nil,
        blocking mask: SignalMask = .none
    ) throws {
        try self.init(
            Places.program(name),
            arguments,
            environment: environment,
            input: input,
            standardOutput: standardOutput,
            blocking: mask
        )
    }

    deinit { send(SIGKILL) }

    /// Sends a signal.
    package func send(_ signal: Int32) {
        status.value.withLock { if $0 == nil { kill(pid, signal) } }
    }

    /// Writes a line to the program.
    package func write(_ line: String) {
        try? input.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Waits for the end, and gives the exit status; negative is the signal that ended it.
    package func end() async -> Int32 {
        for await status in ended { return status }
        return status.value.withLock { $0 } ?? 0
    }

    /// Waits for the end; gives also what it has said.
    package func ending() async -> Ending {
        let output = await output.rest()
        let errors = await errors.rest()
        return Ending(status: await end(), output: output, errors: errors)
    }

    /// Starts a program and waits for its end.
    package static func run(
        _ path: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        input: [UInt8] = []
    ) async throws -> Ending {
        try await ChildProcess(path, arguments, environment: environment, input: input).ending()
    }

    private static func wait(for pid: Int32) -> Int32 {
        var word: Int32 = 0
        while waitpid(pid, &word, 0) < 0, errno == EINTR {}
        let signal = word & 0x7F
        return signal == 0 ? (word >> 8) & 0xFF : -signal
    }

    private static func spawn(
        _ path: String,
        _ arguments: [String],
        _ environment: [String: String],
        _ descriptors: (Int32, Int32, Int32),
        _ mask: SignalMask
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, descriptors.0, 0)
        posix_spawn_file_actions_adddup2(&actions, descriptors.1, 1)
        posix_spawn_file_actions_adddup2(&actions, descriptors.2, 2)
        // Nothing else is handed down, whatever this process has open.
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        for descriptor in open.compactMap({ Int32($0) }) where descriptor > 2 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var blocked = sigset_t()
        var defaults = sigset_t()
        switch mask {
        case .none: sigemptyset(&blocked)
        case .all: sigfillset(&blocked)
        }
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var variables = ProcessInfo.processInfo.environment
        for key in variables.keys where key.hasPrefix("ROLLCALL_") || key == "NO_COLOR" { variables[key] = nil }
        // One that is killed may leave half a profile, which would spoil that of the tests.
        if variables["LLVM_PROFILE_FILE"] != nil {
            variables["LLVM_PROFILE_FILE"] = NSTemporaryDirectory() + "/rollcall-discarded.profraw"
        }
        variables.merge(environment) { $1 }
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var pid: pid_t = 0
        let result = posix_spawn(&pid, path, &actions, &attributes, words, settings)
        guard result == 0 else { throw Failure("\(path) can't be started: \(String(cString: strerror(result)))") }
        return pid
    }
}

/// A pipe that no child inherits unless it is given it.
private struct ClosedPipe {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure("no pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }
}

/// Why a test can't go on.
package struct Failure: Error, CustomStringConvertible {
    /// For people.
    package let description: String

    /// A failure.
    package init(_ description: String) { self.description = description }
}
