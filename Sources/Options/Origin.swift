/// Where a value comes from; the later cases are weaker.
public enum Origin: Hashable, Sendable, CustomStringConvertible {
    /// The command line.
    case commandLine
    /// A variable of the environment.
    case environment(variable: String)
    /// A line of a config file; lines count from 1.
    case config(file: String, line: Int)
    /// Nothing was given.
    case builtIn

    /// For people: `command line`, `ROLLCALL_LISTEN`, `/etc/rollcall.conf:12`, `default`.
    public var description: String {
        switch self {
        case .commandLine: "command line"
        case .environment(let variable): variable
        case .config(let file, let line): "\(file):\(line)"
        case .builtIn: "default"
        }
    }
}
