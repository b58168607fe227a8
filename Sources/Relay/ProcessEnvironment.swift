#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The variables that the process was started with, without Foundation.
public enum ProcessEnvironment {
    /// All variables.
    ///
    /// Call it before there are other threads.
    public static func variables() -> [String: String] {
        var result: [String: String] = [:]
        guard var entry = start() else { return result }
        while let text = entry.pointee {
            let line = String(cString: text)
            if let equals = line.firstIndex(of: "=") {
                result[String(line[..<equals])] = String(line[line.index(after: equals)...])
            }
            entry += 1
        }
        return result
    }

    /// Optional everywhere: the platforms differ in how they declare it.
    private static func start() -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? { environ }
}
