import Foundation

/// The bytes of a file, or with `-` of the standard input.
package func readInput(_ path: String) throws(ToolError) -> [UInt8] {
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw unreadable(path, errno) }
    defer { if path != "-" { close(descriptor) } }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
        let count = read(descriptor, &block, block.count)
        if count > 0 {
            bytes += block[..<count]
        } else if count == 0 {
            return bytes
        } else if errno != EINTR {
            throw unreadable(path, errno)
        }
    }
}

private func unreadable(_ path: String, _ number: Int32) -> ToolError {
    let isMissing = number == ENOENT || number == ENOTDIR
    let code: ExitCode = isMissing ? .noInput : number == EACCES ? .noPermission : .ioError
    return ToolError(code, "can't read \(safeText(path)): \(String(cString: strerror(number)))")
}
