/// The settings of a command, in their order.
///
/// Nearly every command has one, which is kept in place: it takes no memory of its own.
public struct SettingList: Hashable, Sendable {
    /// The number of settings.
    public private(set) var count: Int
    /// The first one; an empty one in an empty list.
    @usableFromInline var first: Setting
    /// Those behind it.
    @usableFromInline var others: [Setting]

    /// No settings.
    @inline(__always)
    public init() {
        count = 0
        first = Setting(nil)
        others = []
    }

    /// The settings of a sequence.
    public init(_ settings: some Sequence<Setting>) {
        self.init()
        for setting in settings { append(setting) }
    }

    /// Adds a setting at the end.
    mutating func append(_ setting: Setting) {
        append { $0 = setting }
    }

    /// Adds a setting at the end that `fill` makes of an empty one; an empty one when that fails.
    @inline(__always)
    mutating func append<Failure>(_ fill: (inout Setting) throws(Failure) -> Void) throws(Failure) {
        count += 1
        do throws(Failure) {
            if count == 1 {
                try fill(&first)
            } else {
                others.append(Setting(nil))
                try fill(&others[count - 2])
            }
        } catch {
            if count == 1 { first = Setting(nil) } else { others[count - 2] = Setting(nil) }
            throw error
        }
    }

    /// Calls `body` with each setting, in order.
    ///
    /// Lends it the setting where it is: who takes one out of the list gets a copy.
    @inlinable
    @inline(__always)
    public func visit<Failure>(_ body: (Setting) throws(Failure) -> Void) throws(Failure) {
        if count > 0 { try body(first) }
        for place in others.indices { try body(others[place]) }
    }
}

extension SettingList: RandomAccessCollection {
    /// Where the first setting is.
    @inlinable
    public var startIndex: Int { 0 }

    /// Behind the last setting.
    @inlinable
    public var endIndex: Int { count }

    /// Whether there are no settings.
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// The setting at a place of the list.
    @inlinable
    public subscript(place: Int) -> Setting {
        _read {
            precondition(place < count, "a place in the list")
            if place == 0 { yield first } else { yield others[place - 1] }
        }
    }
}

extension SettingList: ExpressibleByArrayLiteral {
    /// The settings of a literal.
    public init(arrayLiteral settings: Setting...) {
        self.init(settings)
    }
}
