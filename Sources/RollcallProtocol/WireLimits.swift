/// The limits of values on the wire, in bytes unless said otherwise.
///
/// They are checked where a frame is decoded; a client checks what it is about to send with ``ClientFrame/check()``.
public enum WireLimits {
    /// A session id.
    public static let session = 1...128
    /// A uid.
    public static let uid = 1...128
    /// The id of a device.
    public static let device = 1...64
    /// The name of a person.
    public static let name = 0...256
    /// The URL of a picture.
    public static let avatar = 0...2_048
    /// The title of a call.
    public static let title = 0...256
    /// The name of a client program.
    public static let clientName = 0...64
    /// The random bytes that name a client's process.
    public static let instance = 8...32
    /// The secret of an incarnation; empty for an observer without one.
    public static let secret = 0...64
    /// The key of an attribute.
    public static let key = 1...64
    /// The value of an attribute.
    public static let value = 0...1_024
    /// The cursor of an attendance query.
    public static let cursor = 0...64

    /// Settings in a command, a count.
    public static let settings = 1...64
    /// Attributes in a join, a count.
    public static let attributes = 32
    /// Persons in the spotlight, a count.
    public static let spotlight = 32
    /// Fields, cleared fields and entries of one record in one frame, a count.
    public static let changesOfRecord = 8_192

    /// The longest grace, in ms.
    public static let grace: UInt64 = 120_000
    /// The highest epoch, seq and operation id: any language's numbers hold it.
    public static let position: UInt64 = (1 << 53) - 1

    /// The longest frame from a client, without its length.
    public static let clientFrame = 64 * 1024
    /// The longest frame of a snapshot, with its length.
    public static let snapshotPart = 64 * 1024
    /// The longest frame from a relay that a client accepts, without its length: a delta of 256 KiB and room.
    public static let serverFrame = 1024 * 1024
}
