/// Where the relay is, and how this app calls itself there.
///
/// Made by a ``CallAppSettingsBuilder``.
public struct CallAppSettings: Hashable, Sendable {
    /// Address of the relay: `unix:/path` or `tcp:host:port`.
    public package(set) var relay = ""
    /// Name and version of the app, for people who look at the relay; at most 64 bytes of UTF-8.
    public package(set) var clientName = "rollcall-calls"

    package init() {}
}

/// Gathers ``CallAppSettings``, one call after the other.
///
/// ```swift
/// let settings = CallAppSettingsBuilder()
///     .setRelay("unix:/tmp/rollcall.sock")
///     .build()
/// ```
public final class CallAppSettingsBuilder {
    private var settings = CallAppSettings()

    /// A builder that knows no relay yet.
    public init() {}

    /// Says where the relay is: `unix:/path` or `tcp:host:port`.
    ///
    /// Anything else is refused by ``RollcallCalls/init(callsAppSettings:onSuccess:onError:)``.
    @discardableResult
    public func setRelay(_ address: String) -> Self {
        settings.relay = address
        return self
    }

    /// Gives the app a name for people who look at the relay; more than 64 bytes are refused by the join.
    @discardableResult
    public func setClientName(_ name: String) -> Self {
        settings.clientName = name
        return self
    }

    /// The settings as they have been given until now.
    public func build() -> CallAppSettings { settings }
}
