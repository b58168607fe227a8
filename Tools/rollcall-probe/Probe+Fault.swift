import Faults
import Foundation
import Options
import Rollcall
import ToolSupport

extension Probe {
    /// Passes bytes on, worse, until it is told to end.
    static func fault(_ context: ProbeContext) async throws {
        let settings = context.settings
        let shape = try shape(settings)
        let to = settings[ProbeOptions.to]
        let proxy: FaultProxy
        do {
            proxy = try FaultProxy(
                listeningAt: settings[ProbeOptions.listen],
                to: to,
                seed: UInt64(settings[ProbeOptions.faultSeed])
            )
        } catch {
            throw ToolError(.unavailable, "\(error)", advice: "choose another --listen, or end what is there.")
        }
        await proxy.shape(shape, settings[ProbeOptions.only].map { $0 - 1 })
        let time = settings[ProbeOptions.faultFor].map { Duration.milliseconds($0) }
        // Watched before it is told that the proxy is there: whoever waits for that may end it at once.
        let signals = Signals.all(until: time)
        try tell("listening on \(proxy.address), before \(to)", context) {
            .members(["listening": .string("\(proxy.address)"), "before": .string("\(to)")])
        }
        for await _ in signals { break }
        let status = await proxy.status
        let (up, down) = (status.passed[.toRelay] ?? 0, status.passed[.toClient] ?? 0)
        try tell("\(status.accepted) connections; \(up) bytes to the relay, \(down) from it", context) {
            .members([
                "connections": .number(UInt64(status.accepted)), "bytesToRelay": .number(UInt64(up)),
                "bytesFromRelay": .number(UInt64(down)),
            ])
        }
    }

    private static func shape(_ settings: Settings) throws(ToolError) -> FaultShape {
        var shape = settings[ProbeOptions.rate].map { FaultShape.slow(rate: $0) } ?? FaultShape()
        shape.delay = settings[ProbeOptions.delay]
        shape.jitter = settings[ProbeOptions.jitter]
        let ends: [(FaultShape.End, Int?)] = [
            (.cut, settings[ProbeOptions.cutAfter]), (.stall, settings[ProbeOptions.stallAfter]),
            (.halfOpen, settings[ProbeOptions.halfOpenAfter]),
        ]
        let given = ends.compactMap { end, after in after.map { (end, after: $0) } }
        guard given.count <= 1 else {
            throw ToolError(
                .usage,
                "a connection ends in one way",
                advice: "choose one of --cut-after, --stall-after and --half-open-after."
            )
        }
        shape.end = given.first
        return shape
    }

    private static func tell(_ text: String, _ context: ProbeContext, _ json: () -> JSONValue) throws {
        if context.isJSON { return try context.output.json(json()) }
        try context.output.line("\(ProbeOptions.name): \(text)")
    }
}
