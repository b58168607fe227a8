import CLibuv

/// Settings of the whole process that a program with many sockets makes at start.
///
/// A library must not call these behind its host's back.
public enum ProcessSettings {
    /// Makes a write to a connection that its peer has closed (EPIPE), or to a file that may be no longer (EFBIG), an
    /// error instead of the end of the process.
    ///
    /// On Linux libuv leaves this to the program.
    public static func ignoreWriteSignals() { rollcall_ignore_write_signals() }

    /// The cores that the process may run on, at least 1.
    public static var coreCount: Int { max(1, Int(rollcall_core_count())) }

    /// Raises the number of descriptors that the process may have open to `wanted`, or as far as it may.
    ///
    /// - Returns: The limit now in force; it is never lowered, so it can be above `wanted`.
    public static func raiseDescriptorLimit(to wanted: Int) -> Int {
        Int(clamping: rollcall_raise_descriptor_limit(UInt64(max(0, wanted))))
    }
}
