// The relay's rules and codec at one fixed job without sockets or clocks, for a tool that counts what it costs: the
// difference of two runs with more and with fewer changes is what the changes cost.
//
//     rollcall-costs JOB [NAME=NUMBER ...]     subscribers, people, window, count, tick
//     rollcall-costs sizes                     what a connection takes in the tables of the rules, in bytes

import Foundation
import RelayCore

/// Gives up with a reason.
func fail(_ reason: String) -> Never {
    FileHandle.standardError.write(Data("rollcall-costs: \(reason)\n".utf8))
    exit(1)
}

if CommandLine.arguments.dropFirst() == ["sizes"] {
    var sum = 0
    for part in RelaySizes.ofConnection {
        print("\(part.bytes) \(part.name)")
        sum += part.bytes
    }
    print("\(sum) together")
    exit(0)
}
var plan = Plan()
let jobs = Job.allCases.map(\.rawValue).joined(separator: ", ")
guard let word = CommandLine.arguments.dropFirst().first, let job = Job(rawValue: word) else {
    fail("the first argument is a job, or sizes: \(jobs)")
}
plan.job = job
for argument in CommandLine.arguments.dropFirst(2) {
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    let least = parts[0] == "tick" ? 0 : 1
    guard parts.count == 2, let number = Int(parts[1]), (least...10_000_000).contains(number) else {
        fail("\(argument): a name, = and a number from \(least) to 10,000,000 belong here")
    }
    switch parts[0] {
    case "subscribers": plan.subscribers = number
    case "people": plan.people = number
    case "window": plan.window = number
    case "count": plan.count = number
    case "tick": plan.tick = number
    default: fail("\(argument): the names are subscribers, people, window, count and tick")
    }
}
if let trouble = plan.run() { fail(trouble) }
