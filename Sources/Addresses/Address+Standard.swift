extension Address {
    /// Where a relay listens, and a tool connects, unless told otherwise.
    ///
    /// It is `rollcall.sock` in the user's own directory for sockets, so that nobody else of the machine can take the
    /// place; without such a directory it is in `/tmp`.
    ///
    /// - Parameter runtimeDirectory: The value of `XDG_RUNTIME_DIR`; it counts when it is an absolute path that leaves
    ///   room for the file in a socket's name.
    public static func standard(runtimeDirectory: String?) -> Address {
        let fallback = Address.unix(path: "/tmp/rollcall.sock")
        guard var directory = runtimeDirectory, directory.utf8.first == UInt8(ascii: "/") else { return fallback }
        while directory.utf8.last == UInt8(ascii: "/") { directory.removeLast() }
        let path = directory + "/rollcall.sock"
        return path.utf8.count <= longestPath && !path.utf8.contains(0) ? .unix(path: path) : fallback
    }

    /// The longest path of a UNIX socket, in bytes: the smallest `sun_path` of the supported systems holds 104 with the
    /// closing zero.
    public static var longestPath: Int { 103 }
}
