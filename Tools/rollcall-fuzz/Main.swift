import FuzzTargets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// Two programs of one source. Built for fuzzing, libFuzzer is the main program, finds inputs and calls the function at
// the end. Built as usual, the program gives its target the files that it is told: that is how a finding is looked at
// with a debugger, without a build for fuzzing.

/// Writes a line to standard error.
private func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(2, line, line.count)
}

/// Says what is wrong and ends the program.
private func fail(_ text: String, status: Int32) -> Never {
    say("rollcall-fuzz: \(text)")
    exit(status)
}

/// The target of that name.
private func target(named name: String) -> FuzzTarget {
    if let target = FuzzTarget(rawValue: name) { return target }
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
    fail("there is no target '\(name)'; there are \(names)", status: 64)
}

#if FUZZING

    /// The environment variable that names the target, also for programs that libFuzzer starts.
    private let variable = "ROLLCALL_FUZZ_TARGET"

    /// The target of this process.
    private let chosen: FuzzTarget = {
        guard let name = getenv(variable) else { fail("\(variable) must name a target", status: 64) }
        return target(named: String(cString: name))
    }()

    /// Gives one input to the target; a finding ends the process, and libFuzzer keeps the input.
    @_cdecl("LLVMFuzzerTestOneInput")
    public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        do {
            try chosen.run(Array(UnsafeBufferPointer(start: start, count: count)))
        } catch {
            say("finding in \(chosen.rawValue): \(error)")
            abort()
        }
        return 0
    }

#else

    @main
    enum Main {
        static func main() {
            let arguments = CommandLine.arguments.dropFirst()
            if arguments.first == "--list" {
                for target in FuzzTarget.allCases { print(target.rawValue) }
                return
            }
            guard let name = arguments.first, arguments.count > 1 else {
                fail("usage: rollcall-fuzz TARGET FILE..., or rollcall-fuzz --list", status: 64)
            }
            let target = target(named: name)
            var findings = 0
            for path in arguments.dropFirst() {
                guard let bytes = read(path) else { fail("can't read '\(path)'", status: 66) }
                do {
                    try target.run(bytes)
                    print("ok       \(path)")
                } catch {
                    findings += 1
                    print("finding  \(path): \(error)")
                }
            }
            if findings > 0 { exit(1) }
        }

        private static func read(_ path: String) -> [UInt8]? {
            guard let file = fopen(path, "rb") else { return nil }
            defer { fclose(file) }
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = fread(&chunk, 1, chunk.count, file)
                if count == 0 { break }
                bytes += chunk[..<count]
            }
            return ferror(file) == 0 ? bytes : nil
        }
    }

#endif
