/// How a tool ends: 0, or the code of sysexits.h that scripts know.
package struct ExitCode: RawRepresentable, Hashable, Sendable {
    /// The exit status.
    package var rawValue: Int32
    /// The code with that status.
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// Everything went as asked.
    package static let ok = ExitCode(rawValue: 0)
    /// The command line is wrong.
    package static let usage = ExitCode(rawValue: 64)
    /// The data is wrong: frames that can't be read, digests that differ.
    package static let dataError = ExitCode(rawValue: 65)
    /// What was named is not there: a session, a file.
    package static let noInput = ExitCode(rawValue: 66)
    /// The relay can't be reached, or has no room now.
    package static let unavailable = ExitCode(rawValue: 69)
    /// The tool itself is wrong.
    package static let software = ExitCode(rawValue: 70)
    /// Reading or writing failed.
    package static let ioError = ExitCode(rawValue: 74)
    /// It may go better later.
    package static let temporaryFailure = ExitCode(rawValue: 75)
    /// The other side does not speak as it should.
    package static let protocolError = ExitCode(rawValue: 76)
    /// A right is missing.
    package static let noPermission = ExitCode(rawValue: 77)
}
