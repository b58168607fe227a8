// Names that call apps use for the same thing, so that their code compiles.

/// Another name of ``AudioMode``.
public typealias AudioModeType = AudioMode

/// Another name of ``SessionType``.
public typealias CallType = SessionType

extension SessionType {
    /// Another name of ``voice``.
    public static let audio = SessionType.voice
}
