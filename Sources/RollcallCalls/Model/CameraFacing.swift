/// Which camera of this device is in use; local.
public enum CameraFacing: String, CaseIterable, Hashable, Sendable {
    // The names that call apps write.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The camera on the side of the screen; where a session begins unless its settings say otherwise.
    case FRONT
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The camera on the other side.
    case REAR

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Another name of ``REAR``.
    public static let BACK = CameraFacing.REAR
}
