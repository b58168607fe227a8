/// Counts what a relay has of which only so much may be, over all its loops.
///
/// Asked when a connection comes or ends and when a call is made or freed, by several threads.
public protocol Census: AnyObject, Sendable {
    /// A connection has come; gives how many there are with it.
    func connectionCame() -> Int

    /// A connection has ended.
    func connectionWent()

    /// A call is to be made; false, and it is not counted, when there are `limit` or more.
    func callCame(within limit: Int) -> Bool

    /// A call was freed.
    func callWent()
}
