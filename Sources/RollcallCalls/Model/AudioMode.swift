/// Where the sound of a call comes out of this device.
///
/// Local: nobody else is told. The raw value is the word that ``CallSession/setAudioMode(_:)-(String)`` takes.
public enum AudioMode: String, CaseIterable, Hashable, Sendable {
    /// The loudspeaker; where a session begins unless its settings say otherwise.
    case speaker = "SPEAKER"
    /// The earpiece.
    case earpiece = "EARPIECE"
    /// A Bluetooth device.
    case bluetooth = "BLUETOOTH"
    /// Wired headphones.
    case headphones = "HEADPHONES"
}
