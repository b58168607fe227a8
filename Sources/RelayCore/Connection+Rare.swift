// What only a connection has that commands, is slow, waits for the store or closes.
extension Connection {
    struct Rare {
        var waitingFrames = 0
        var readableAt: UInt64 = 0
        var calmAt: UInt64 = 0
        var movedAt: UInt64 = 0
        var unsent = 0
        var goodbye: Goodbye?
        var cutAt = UInt64.max
        var commands = TokenBucket()
        var merged: UInt64 = 0
        var resyncs = 0
        var resyncsSince: UInt64 = 0
        // In a list, since few of these few have one.
        var errands: [RelayCore.Errand] = []
    }

    private mutating func change(_ body: (inout Rare) -> Void) {
        if rare.isEmpty { rare = [Rare()] }
        body(&rare[0])
    }

    /// Frames of it that wait for the store.
    var waitingFrames: Int {
        get { rare.isEmpty ? 0 : rare[0].waitingFrames }
        set { if newValue != waitingFrames { change { $0.waitingFrames = newValue } } }
    }

    /// Not read before this moment, since too many frames came; 0 is no such reason.
    var readableAt: UInt64 {
        get { rare.isEmpty ? 0 : rare[0].readableAt }
        set { if newValue != readableAt { change { $0.readableAt = newValue } } }
    }

    /// What it waits for that concerns other loops; nil is nothing.
    var errand: RelayCore.Errand? {
        get { rare.first?.errands.first }
        set { if newValue != nil || errand != nil { change { $0.errands = newValue.map { [$0] } ?? [] } } }
    }

    /// When it will have caught up, unless it misses a turn before; 0 is never.
    var calmAt: UInt64 {
        get { rare.isEmpty ? 0 : rare[0].calmAt }
        set { if newValue != calmAt { change { $0.calmAt = newValue } } }
    }

    /// Bytes that had not left when the shell was last asked, those that the system holds included; while some are in
    /// flight.
    var unsent: Int {
        get { rare.isEmpty ? 0 : rare[0].unsent }
        set { if newValue != unsent { change { $0.unsent = newValue } } }
    }

    /// When bytes in flight were last seen to move.
    var movedAt: UInt64 {
        get { rare.isEmpty ? 0 : rare[0].movedAt }
        set { if newValue != movedAt { change { $0.movedAt = newValue } } }
    }

    /// What it is told once it has left and the store can't keep anything; nil when it did not leave.
    var goodbye: Goodbye? {
        get { rare.isEmpty ? nil : rare[0].goodbye }
        set { if newValue != goodbye { change { $0.goodbye = newValue } } }
    }

    /// When a closing connection is cut.
    var cutAt: UInt64 {
        get { rare.isEmpty ? .max : rare[0].cutAt }
        set { if newValue != cutAt { change { $0.cutAt = newValue } } }
    }

    /// Settings that may be done for it.
    var commands: TokenBucket {
        get { rare.isEmpty ? TokenBucket() : rare[0].commands }
        set { change { $0.commands = newValue } }
    }

    /// Differences that were made for it alone.
    var merged: UInt64 {
        get { rare.isEmpty ? 0 : rare[0].merged }
        set { if newValue != merged { change { $0.merged = newValue } } }
    }

    /// Resyncs since ``resyncsSince``.
    var resyncs: Int {
        get { rare.isEmpty ? 0 : rare[0].resyncs }
        set { if newValue != resyncs { change { $0.resyncs = newValue } } }
    }

    /// When the count of resyncs began.
    var resyncsSince: UInt64 {
        get { rare.isEmpty ? 0 : rare[0].resyncsSince }
        set { if newValue != resyncsSince { change { $0.resyncsSince = newValue } } }
    }
}
