/// Why a tool can't do what was asked, and what to do about it.
package struct ToolError: Error, Hashable, Sendable, CustomStringConvertible {
    /// How the tool ends.
    package var code: ExitCode
    /// What happened and why, without the name of the tool.
    package var message: String
    /// What to do; empty when there is nothing to say.
    package var advice: String

    /// An error.
    package init(_ code: ExitCode, _ message: String, advice: String = "") {
        self.code = code
        self.message = message
        self.advice = advice
    }

    /// The message, and on a second line the advice.
    package var description: String {
        advice.isEmpty ? message : "\(message)\n  \(advice)"
    }
}
