import EventLoop
import RelayCore
import RollcallProtocol

/// The shell's half of each connection: its stream and the bytes of a frame that is not whole yet.
///
/// The rules keep a table with the same indices; the generation makes a stale name harmless on both sides.
struct ConnectionTable {
    /// One place of the table.
    struct Entry {
        /// The stream; nil while the place is free.
        var stream: Stream?
        /// Cuts the incoming bytes into frames.
        var splitter: FrameSplitter
        /// Counts the uses of the place.
        var generation: UInt32
        /// Whether the rules are still to hear of its bytes: false after a malformed one.
        var isReadable: Bool
        /// Whether the rules want no reading.
        var isPaused = false
        /// Whether it takes its call's changes more slowly than they come.
        var isBehind = false
    }

    private var entries: [Entry] = []
    private var free: [UInt32] = []
    private let maximumFrame: Int
    private let loop: UInt32

    /// The number of connections.
    private(set) var count = 0

    /// A table of connections that may send frames of up to `maximumFrame` bytes.
    ///
    /// The highest byte of a generation is the loop, so that no two loops of a relay have connections of the same name.
    init(maximumFrame: Int, loop: Int = 0) {
        self.maximumFrame = maximumFrame
        self.loop = UInt32(loop) << 24
    }

    /// Takes a place for a stream.
    mutating func insert(_ stream: Stream) -> ConnectionID { insert(stream, newSplitter()) }

    /// Takes a place for a stream of which something was read before.
    mutating func insert(_ stream: Stream, _ splitter: consuming FrameSplitter) -> ConnectionID {
        count += 1
        if let index = free.popLast() {
            let generation = loop | (entries[Int(index)].generation &+ 1) & 0xff_ffff
            entries[Int(index)] = Entry(
                stream: stream,
                splitter: splitter,
                generation: generation,
                isReadable: true
            )
            return ConnectionID(index: index, generation: generation)
        }
        entries.append(Entry(stream: stream, splitter: splitter, generation: loop | 1, isReadable: true))
        return ConnectionID(index: UInt32(entries.count - 1), generation: loop | 1)
    }

    /// Frees the place at `index` and tells who had it.
    mutating func remove(at index: Int) -> ConnectionID {
        let id = ConnectionID(index: UInt32(index), generation: entries[index].generation)
        entries[index].stream = nil
        entries[index].splitter = newSplitter()
        free.append(UInt32(index))
        count -= 1
        return id
    }

    private func newSplitter() -> FrameSplitter {
        FrameSplitter(maximumFrameLength: maximumFrame, expectsPreface: true)
    }

    /// Takes the splitter out of the table, for the time that it runs.
    mutating func takeSplitter(at index: Int) -> FrameSplitter {
        var splitter = newSplitter()
        swap(&splitter, &entries[index].splitter)
        return splitter
    }

    /// Puts the splitter of a connection back, if the connection is still there.
    mutating func putBack(_ splitter: consuming FrameSplitter, of id: ConnectionID) {
        guard stream(of: id) != nil else { return }
        entries[Int(id.index)].splitter = splitter
    }

    /// Whether the rules are still to hear of the bytes of a connection.
    func isReadable(_ id: ConnectionID) -> Bool {
        stream(of: id) != nil && entries[Int(id.index)].isReadable
    }

    /// All streams.
    var streams: [Stream] { entries.compactMap(\.stream) }

    /// The name of the connection at `index`.
    func id(at index: Int) -> ConnectionID {
        ConnectionID(index: UInt32(index), generation: entries[index].generation)
    }

    /// The stream of a connection; nil when the name is stale.
    func stream(of id: ConnectionID) -> Stream? {
        let index = Int(id.index)
        guard index < entries.count, entries[index].generation == id.generation else { return nil }
        return entries[index].stream
    }

    /// The same without a reference of its own, which costs more than the look.
    func borrowedStream(of id: ConnectionID) -> Unmanaged<Stream>? {
        stream(of: id).map { Unmanaged.passUnretained($0) }
    }

    /// The entry at `index`, in place.
    subscript(index: Int) -> Entry {
        _read { yield entries[index] }
        _modify { yield &entries[index] }
    }
}
