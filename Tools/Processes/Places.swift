package import Foundation

/// Where the programs of this build, the files of the repository and the recorded meetings are.
package enum Places {
    /// The directory of what was built: where the running test itself is.
    package static let products: URL = {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let folders = [bundle?.bundleURL, Bundle.main.executableURL].compactMap { $0?.deletingLastPathComponent() }
        let holding = folders.first {
            FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent("rollcall-relay").path)
        }
        return holding ?? folders.first ?? Bundle.main.bundleURL
    }()

    /// The path of a program of this build.
    package static func program(_ name: String) -> String { products.appendingPathComponent(name).path }

    /// The top of the repository.
    package static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The path of a file of the repository.
    package static func file(_ path: String) -> String { repository.appendingPathComponent(path).path }

    /// The system's Python, which has the official protobuf runtime.
    package static let python = ProcessInfo.processInfo.environment["ROLLCALL_PYTHON"] ?? "/usr/bin/python3"

    /// Whether that Python has the protobuf runtime and protoc is there.
    package static let hasProtobuf: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = [
            "-B", "-c", "import google.protobuf, shutil, sys; sys.exit(shutil.which('protoc') is None)",
        ]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}
