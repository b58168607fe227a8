import CallState
import RollcallProtocol
import Testing

/// Input that no honest peer sends: a typed error that names field and place, and nothing else.
struct HostileTests {
    /// Every legal message of the vectors that is not very long.
    private func messages() throws -> [(direction: String, bytes: [UInt8])] {
        try (Vectors.all() + Vectors.load("later")).map { ($0.direction, $0.message) }.filter { $0.bytes.count < 3_000 }
    }

    @Test("R-5: a message cut anywhere is refused, or is a message of its own")
    func truncated() throws {
        for message in try messages() {
            for count in message.bytes.indices {
                let cut = Array(message.bytes.prefix(count))
                guard let error = refusal(of: cut, from: message.direction) else { continue }
                #expect(!error.field.isEmpty)
                #expect((0...count).contains(error.offset), "\(error)")
            }
            // Cut inside its body, a message with one body can't be whole.
            let bodyCut = Array(message.bytes.dropLast())
            if message.bytes.count > 2 {
                #expect(refusal(of: bodyCut, from: message.direction) != nil)
            }
        }
    }

    @Test("R-5: with any byte changed a message is refused or is another message that encodes to itself")
    func flipped() throws {
        var random = SeededRandom(seed: SeededRandom.seed &+ 5)
        for message in try messages() {
            for index in message.bytes.indices {
                var bytes = message.bytes
                bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
                // What is accepted has a canonical form, which is stable.
                guard let once = try? recoded(bytes, from: message.direction), !once.isEmpty else { continue }
                #expect(try recoded(once, from: message.direction) == once, "\(bytes.hex)")
            }
        }
    }

    @Test func randomBytesAreRefused() {
        var random = SeededRandom(seed: SeededRandom.seed &+ 6)
        var refused = 0
        for _ in 0..<5_000 {
            let bytes = random.bytes(0...60)
            if refusal(of: bytes, from: "client") != nil { refused += 1 }
            _ = refusal(of: bytes, from: "server")
        }
        #expect(refused > 4_900)
    }

    @Test("R-3: a length of 4 GiB inside of 20 bytes is an error and takes no memory")
    func hugeLengths() {
        // In each place where a length can be: body, string, bytes, nested message, record, entry, packed numbers.
        let huge: [UInt8] = [0x80, 0x80, 0x80, 0x80, 0x10]
        let most: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
        let begins: [(String, [UInt8])] = [
            ("client", [0x0A]), ("client", [0x12, 0x10, 0x0A]), ("client", [0x12, 0x10, 0x6A]),
            ("client", [0x1A, 0x10, 0x12]), ("client", [0x0A, 0x10, 0x22]), ("server", [0x2A]),
            ("server", [0x2A, 0x10, 0x2A]), ("server", [0x2A, 0x10, 0x2A, 0x0E, 0x22]),
            ("server", [0x2A, 0x11, 0x2A, 0x0F, 0x7A]), ("server", [0x2A, 0x12, 0x2A, 0x10, 0x82, 0x01]),
            ("server", [0x22, 0x10, 0x12]), ("server", [0x72]),
        ]
        for (direction, begin) in begins {
            for length in [huge, most] {
                let bytes = begin + length + [UInt8](repeating: 0, count: max(0, 20 - begin.count - length.count))
                let error = refusal(of: bytes, from: direction)
                #expect(error?.code == .truncated, "\(bytes.hex): \(String(describing: error))")
                #expect(error?.offset ?? 0 >= 1)
            }
        }
    }

    @Test func deepNestingIsNoRecursion() throws {
        // A hundred thousand messages, each in the next: as an unknown field it is passed over or refused at once.
        var nested: [UInt8] = []
        for _ in 0..<100_000 {
            let length = UInt64(nested.count)
            var outer: [UInt8] = [0x3A]
            outer.appendVarint(length)
            if nested.count > 200_000 { break }
            outer.append(contentsOf: nested)
            nested = outer
            if nested.count > 20_000 { break }
        }
        let body = nested
        var server: [UInt8] = [0x72]
        server.appendVarint(UInt64(body.count))
        #expect(try ServerFrame.decode((server + body).span) == .unknown(14))
        var client: [UInt8] = [0x52]
        client.appendVarint(UInt64(body.count))
        let error = refusal(of: client + body, from: "client")
        #expect(error?.code == .unknownField)
        #expect(error?.field == "List.7")
    }

    @Test func anyOrderOfFieldsAndBothFormsOfRepeatedNumbersAreRead() throws {
        // A delta whose fields, record and body stand in reverse; cleared one by one and packed.
        let reversed: [UInt8] = [
            0x2A, 0x17,
            0x2A, 0x13,
            0x82, 0x01, 0x05, 0x12, 0x01, 0x6B, 0x08, 0x0A,
            0x78, 0x08, 0x7A, 0x01, 0x05,
            0x22, 0x02, 0x30, 0x01,
            0x08, 0x02,
            0x08, 0x2A,
        ]
        guard case .delta(let delta) = try ServerFrame.decode(reversed.span) else {
            Issue.record("no delta")
            return
        }
        #expect(delta.toSeq == 42)
        #expect(delta.records.records.map(\.slot) == [2])
        #expect(delta.records.fields.map(\.number) == [5, 6, 8, 10])
        let canonical = ServerFrame.delta(delta).message
        #expect(try ServerFrame.decode(canonical.span) == .delta(delta))
        #expect(canonical.hex == "2a16082a2a12080222023001" + "7a020508" + "820105080a12016b")
    }

    @Test func manyFieldsOutOfOrderAreSorted() throws {
        var diff = Diff()
        diff.fields = (1...200).map { Diff.Field(number: UInt32($0), value: .number(UInt64($0))) }
        diff.records = [.init(slot: 7, kind: RecordKind(rawValue: 9), fields: 0..<200)]
        var shuffled = diff
        var random = SeededRandom(seed: SeededRandom.seed &+ 7)
        shuffled.fields.shuffle(using: &random)
        let message = ServerFrame.delta(Delta(toSeq: 1, records: shuffled)).message
        #expect(try ServerFrame.decode(message.span) == .delta(Delta(toSeq: 1, records: diff)))
    }

    @Test func aRecordHasALimitOfChanges() {
        var diff = Diff()
        let count = WireLimits.changesOfRecord + 1
        diff.fields = (1...count).map { Diff.Field(number: UInt32($0), value: .number(1)) }
        diff.records = [.init(slot: 7, kind: RecordKind(rawValue: 9), fields: 0..<count)]
        let error = refusal(of: ServerFrame.delta(Delta(toSeq: 1, records: diff)).message, from: "server")
        #expect(error?.code == .limit)
        #expect(error?.field == "Record.body.\(count)")
    }

    @Test func closeCodesFollowTheRules() {
        let codes = WireError.Code.allCases.map { WireError(code: $0, field: "f", offset: 0, detail: "d").closeCode }
        #expect(Set(codes) == [.badPreface, .badFrame, .unsupported, .badRequest])
        #expect(WireError(code: .unknownFrame, field: "f", offset: 3, detail: "d").closeCode == .unsupported)
        #expect(WireError(code: .limit, field: "f", offset: 3, detail: "d").closeCode == .badRequest)
    }

    @Test func aClientCanCheckWhatItSends() {
        var join = Join(session: "", uid: "u", device: "d")
        #expect(throws: WireError.self) { try ClientFrame.join(join).check() }
        join.session = "s"
        #expect(throws: Never.self) { try ClientFrame.join(join).check() }
        let long = Setting(.name(ByteString([UInt8](repeating: 0x61, count: 257))))
        let error = #expect(throws: WireError.self) {
            try ClientFrame.command(Command(op: 1, settings: [long])).check()
        }
        #expect(error?.field == "Setting.name")
    }
}
