/// How this client lays out the people of a call.
///
/// Local: nobody else is told. The raw value is the word that ``CallSession/setLayout(_:)-(String)`` takes.
public enum LayoutType: String, CaseIterable, Hashable, Sendable {
    /// Everybody in a tile of the same size; where a session begins unless its settings say otherwise.
    case tile = "TILE"
    /// One large, the others small.
    case spotlight = "SPOTLIGHT"
    /// One large, the others at the side.
    case sidebar = "SIDEBAR"
}
