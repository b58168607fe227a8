/// Is told about what this client's own screen shows; local.
///
/// At rest are the layout `tile`, a hidden list of participants, and no picture in picture.
public protocol LayoutListener: AnyObject {
    /// Another layout is chosen.
    func onCallLayoutChanged(layoutType: LayoutType)
    /// The list of participants is shown now.
    func onParticipantListVisible()
    /// The list of participants is hidden now.
    func onParticipantListHidden()
    /// The call is a picture in picture now.
    func onPictureInPictureLayoutEnabled()
    /// The call is no picture in picture any more.
    func onPictureInPictureLayoutDisabled()
}

extension LayoutListener {
    /// Does nothing.
    public func onCallLayoutChanged(layoutType: LayoutType) {}
    /// Does nothing.
    public func onParticipantListVisible() {}
    /// Does nothing.
    public func onParticipantListHidden() {}
    /// Does nothing.
    public func onPictureInPictureLayoutEnabled() {}
    /// Does nothing.
    public func onPictureInPictureLayoutDisabled() {}
}
