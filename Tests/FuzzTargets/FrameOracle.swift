import CallState
import RollcallProtocol

/// What holds for every decoder: bytes are refused with a place, or are a value that is written and read again as the
/// same value, in bytes that are written and read again as the same bytes.
enum FrameOracle {
    /// Holds it for bytes that a client may send.
    static func checkClientFrame(_ bytes: [UInt8]) throws(FuzzFinding) {
        var verdict = Verdict()
        let frame: ClientFrame
        do throws(WireError) {
            frame = try ClientFrame.decode(bytes.span)
        } catch {
            check(error, of: bytes, &verdict)
            return try verdict.end()
        }
        if case .command(let command) = frame, let fault = command.fault {
            check(fault, of: bytes, &verdict)
            return try verdict.end()
        }
        do throws(WireError) {
            try frame.check()
        } catch {
            verdict.fail("\(frame) was accepted, and can't be sent: \(error)")
        }
        let message = frame.message
        verdict.require(message.count <= bytes.count, "\(bytes.count) bytes are written as \(message.count)")
        do throws(WireError) {
            let again = try ClientFrame.decode(message.span)
            verdict.require(again == frame, "\(frame) is read again as \(again)")
            verdict.require(again.message == message, "\(frame) is written again as other bytes")
        } catch {
            verdict.fail("\(frame) was written and is refused: \(error)")
        }
        try verdict.end()
    }

    /// Holds it for bytes that a relay may send.
    static func checkServerFrame(_ bytes: [UInt8]) throws(FuzzFinding) {
        var verdict = Verdict()
        checkDelta(bytes, &verdict)
        let frame: ServerFrame
        do throws(WireError) {
            frame = try ServerFrame.decode(bytes.span)
        } catch {
            check(error, of: bytes, &verdict)
            return try verdict.end()
        }
        switch frame {
        case .delta(let delta): check(delta.records, &verdict)
        case .part(let part): check(part.records, &verdict)
        default: break
        }
        let message = frame.message
        do throws(WireError) {
            let again = try ServerFrame.decode(message.span)
            verdict.require(again == frame, "\(frame) is read again as \(again)")
            verdict.require(again.message == message, "\(frame) is written again as other bytes")
        } catch {
            verdict.fail("\(frame) was written and is refused: \(error)")
        }
        try verdict.end()
    }

    /// The way of deltas past the general decoder leads to the same.
    private static func checkDelta(_ bytes: [UInt8], _ verdict: inout Verdict) {
        // Something is left in it from before, as on a client that uses one value for all.
        var delta = Delta(toSeq: 99, records: leftover)
        delta.toEpoch = 7
        delta.digest = 1
        delta.op = 5
        let whole = try? ServerFrame.decode(bytes.span)
        switch try? ServerFrame.decodeDelta(bytes.span, into: &delta) {
        case true?: verdict.require(whole == .delta(delta), "a delta is read as \(delta), and as \(whole as Any)")
        case false?:
            // A frame may also begin with something unknown: that way is left to the general decoder.
            break
        case nil: verdict.require(whole == nil, "a delta is refused, and read as \(whole as Any)")
        }
    }

    private static let leftover: Diff = {
        var diff = Diff()
        diff.fields = [Diff.Field(number: 3, value: .number(1))]
        diff.records = [Diff.Record(slot: 9, kind: .person, fields: 0..<1)]
        return diff
    }()

    private static func check(_ error: WireError, of bytes: [UInt8], _ verdict: inout Verdict) {
        verdict.require((0...bytes.count).contains(error.offset), "offset of \(error) in \(bytes.count) bytes")
        verdict.require(!error.field.isEmpty && !error.detail.isEmpty, "an error that says nothing: \(error)")
    }

    /// Records ascend, and their fields tile the list of fields.
    private static func check(_ diff: Diff, _ verdict: inout Verdict) {
        var end = 0
        for (index, record) in diff.records.enumerated() {
            if index > 0 { verdict.require(diff.records[index - 1].slot < record.slot, "slots do not ascend") }
            verdict.require(record.fields.lowerBound == end, "fields of slot \(record.slot) begin elsewhere")
            end = record.fields.upperBound
            verdict.require(record.fields.count <= WireLimits.changesOfRecord, "\(record.fields.count) fields")
            verdict.require(record.removal == nil || record.fields.isEmpty, "a tombstone with fields")
        }
        verdict.require(end == diff.fields.count, "fields of no record")
    }
}

extension ClientFrame {
    /// The frame's message, without its length.
    var message: [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return Array(bytes.dropFirst(4))
    }
}

extension ServerFrame {
    /// The frame's message, without its length.
    var message: [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return Array(bytes.dropFirst(4))
    }
}
