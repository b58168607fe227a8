import RollcallProtocol

extension RollcallError {
    /// Why the relay closed a connection or refused a request.
    init(_ refusal: Refusal, place: String) {
        self.init(
            code: Code(refusal.code),
            message: refusal.text.isEmpty ? "the relay refused with code \(refusal.code.rawValue)" : refusal.text,
            place: place,
            retryAfter: refusal.advice == .after ? Duration(milliseconds: refusal.after) : nil
        )
    }

    /// Why the relay refused a command.
    init(_ ack: Ack, place: String) {
        self.init(
            code: Code(ack.code),
            message: ack.text.isEmpty ? "the relay refused the command with code \(ack.code.rawValue)" : ack.text,
            place: place,
            retryAfter: ack.after == 0 ? nil : Duration(milliseconds: ack.after)
        )
    }

    static func unexpectedFrame(_ wanted: String, place: String) -> RollcallError {
        RollcallError(
            code: .protocolViolation,
            message: "the relay broke the protocol: another frame came where \(wanted) belongs",
            place: place
        )
    }
}
