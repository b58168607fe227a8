public import CallState
public import RollcallProtocol

/// What can be set about the relay's rules.
///
/// Times in ms, sizes in bytes.
public struct RelayConfiguration: Hashable, Sendable {
    /// Names the relay process in Welcome.
    public var relayID: ByteString = "relay"
    /// Time for preface and Hello.
    public var helloTimeout: UInt64 = 5_000
    /// A Ping this often; the first is jittered.
    public var pingInterval: UInt64 = 10_000
    /// A connection without a byte for so long is dead.
    public var deadAfter: UInt64 = 25_000
    /// Grace of a call whose first participant names none.
    public var grace: UInt64 = 15_000
    /// Idle period of a call whose first participant names none; 0 is never.
    public var idle: UInt64 = 300_000
    /// A connection whose handed-over bytes do not leave for so long is closed.
    public var stallTimeout: UInt64 = 15_000
    /// A closing connection that does not take its last bytes in so long is cut.
    public var closeTimeout: UInt64 = 2_000
    /// What is accepted from a client.
    public var limits = Limits()
    /// Connections.
    public var maximumConnections: Int = 16_000
    /// Calls.
    public var maximumCalls: Int = 20_000
    /// Connections that attend one call as observers.
    public var maximumObservers: Int = 10_000
    /// Devices of one person.
    public var maximumDevicesPerPerson: Int = 16
    /// Largest difference made for one receiver; a larger one becomes a snapshot.
    public var maximumDelta: Int = 256 * 1024
    /// Bytes of encoded frames that a call keeps for those who are a little behind.
    public var ringBytes: Int = 256 * 1024
    /// The changes of a busy call are gathered for so many ms at most; 0 tells each turn's at once.
    public var tick: UInt64 = 5
    /// Writes that a call makes in a tick before its changes are gathered; the first change is told however many it
    /// takes.
    public var maximumTickWrites: Int = 64
    /// Bytes of frames that are told at once: gathering more would save little of what they cost.
    public var maximumTickBytes: Int = 16 * 1024
    /// Bytes of frames that a receiver which is behind gets one by one; more are merged.
    public var maximumSlice: Int = 32 * 1024
    /// Fewer bytes of frames are never merged for who was not behind, however many turns they are of.
    public var leastSlice: Int = 4 * 1024
    /// More bytes than that are merged when they are of more turns than these.
    public var maximumMissedTurns: Int = 16
    /// Who was behind has caught up after missing no turn for so long.
    public var caughtUpAfter: UInt64 = 2_000
    /// Snapshots of a call, of more than one part, that may be on their way at once; who takes an older one is too
    /// slow.
    public var maximumOldSnapshots: Int = 8
    /// Tombstones that a call keeps before its floor rises.
    public var maximumTombstones: Int = 4_096
    /// Answers that may wait for a connection before it is not read any more.
    public var maximumUnsentAnswers: Int = 64
    /// Settings that one client may have done; who has the admin right has no limit.
    public var commandRate = Rate(perSecond: 100, burst: 500)
    /// Settings that all clients of a call together may have done, those with the admin right apart.
    public var callCommandRate = Rate(perSecond: 5_000, burst: 20_000)
    /// Frames of any kind that are read from one client; one that sends more is read more slowly.
    public var frameRate = Rate(perSecond: 1_000, burst: 4_000)
    /// Joins that come in; more are told when to come back.
    public var joinRate = Rate(perSecond: 2_000, burst: 10_000)
    /// Speech: how long somebody must have been speaking to take over.
    public var takeoverSpeech: UInt64 = 500
    /// Changes of the dominant speaker in any second.
    public var maximumDominantChanges: Int = 4
    /// Call logs: how many meetings and rows of devices are kept.
    public var attendance = AttendanceLog.Limits()
    /// What is kept, and when it counts.
    public var durability = Durability.none
    /// Under ``Durability/async`` a change is given to the store so many ms later at most.
    public var keepDelay: UInt64 = 25
    /// A store that has not answered for so many ms counts as one that can't keep anything, until it does.
    public var storeTimeout: UInt64 = 5_000
    /// Bytes of one call's changes of call logs that may wait for the store, about; with more nothing is changed.
    public var maximumBacklog: Int = 16 * 1024 * 1024
    /// Whether every peer has the admin right (`--open-admin`).
    public var isAdminOpen = false

    /// What a store is for.
    public enum Durability: String, Hashable, Sendable, CaseIterable {
        /// Nothing is kept: a relay that starts anew knows of no call.
        case none
        /// What changes is shown at once and kept soon after: the last moments before a crash may be lost.
        case async
        /// What changes is shown and acknowledged once it is kept.
        case sync
    }

    /// The defaults.
    public init() {}

    /// The answer to Hello.
    var welcome: Welcome {
        var welcome = Welcome()
        welcome.relayID = relayID
        welcome.pingInterval = pingInterval
        welcome.deadAfter = deadAfter
        welcome.limits = limits
        return welcome
    }
}
