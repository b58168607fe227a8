// swift-tools-version: 6.2
import PackageDescription

/// Every target is held to the same settings: no warning, every existential and every leaked import spelled out.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The targets that hold rules and import no I/O also account for every unsafe expression.
let pure = strict + [.strictMemorySafety()]

let package = Package(
    name: "rollcall",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Rollcall", targets: ["Rollcall", "CallState"]),
        .library(name: "RollcallCalls", targets: ["RollcallCalls"]),
        .executable(name: "rollcall-relay", targets: ["rollcall-relay"]),
        .executable(name: "rollcall-probe", targets: ["rollcall-probe"]),
        .executable(name: "rollcall-load", targets: ["rollcall-load"]),
    ],
    targets: [
        // The rules, without I/O.
        .target(name: "CallState", swiftSettings: pure),
        .target(name: "RollcallProtocol", dependencies: ["CallState"], swiftSettings: pure),
        .target(name: "RelayCore", dependencies: ["CallState", "RollcallProtocol"], swiftSettings: pure),

        // What the relay, the client and the tools write and read in the same way.
        .target(name: "Addresses", swiftSettings: pure),
        .target(name: "Text", swiftSettings: pure),
        .target(name: "Threads", swiftSettings: strict),

        // The relay: a libuv shell around RelayCore.
        .systemLibrary(
            name: "CLibuv",
            pkgConfig: "libuv",
            providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]
        ),
        .target(name: "EventLoop", dependencies: ["CLibuv", "Addresses"], swiftSettings: strict),
        .target(name: "Options", swiftSettings: pure),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        .target(
            name: "CallStore",
            dependencies: ["CallState", "CSQLite", "Threads"],
            exclude: ["README.md"],
            swiftSettings: strict
        ),
        .target(
            name: "Relay",
            dependencies: [
                "CallState", "RollcallProtocol", "RelayCore", "EventLoop", "CallStore", "Addresses", "Options", "Text",
                "Threads",
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "rollcall-relay",
            dependencies: ["Relay"],
            swiftSettings: strict,
            // A quiet relay is smaller with the runtime linked in, and with no name exported: it then holds of it what
            // it uses. Unsafe flags are no hindrance here, since no other package builds this target.
            linkerSettings: [
                .unsafeFlags(
                    ["-static-stdlib", "-Xlinker", "--no-export-dynamic"],
                    .when(platforms: [.linux], configuration: .release)
                )
            ]
        ),

        // The client.
        .systemLibrary(name: "CEpoll"),
        .target(
            name: "Rollcall",
            dependencies: [
                "CallState", "RollcallProtocol", "Addresses",
                .target(name: "CEpoll", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: strict
        ),

        // The listener API that call apps know, over the client.
        .target(
            name: "RollcallCalls",
            dependencies: ["CallState", "RollcallProtocol", "Rollcall"],
            swiftSettings: strict
        ),

        // The apps of the usual guides, without their screens: how to write one on the listener API.
        .target(name: "Examples", dependencies: ["RollcallCalls"], swiftSettings: strict),

        // The tools.
        .target(
            name: "ToolSupport",
            dependencies: ["CallState", "Options", "Rollcall", "RollcallProtocol", "Text"],
            path: "Tools/ToolSupport",
            swiftSettings: strict
        ),
        .target(name: "Randomness", path: "Tools/Randomness", swiftSettings: pure),
        .target(
            name: "Faults",
            dependencies: ["Randomness", "Rollcall"],
            path: "Tools/Faults",
            swiftSettings: strict
        ),
        .target(name: "Processes", dependencies: ["Rollcall"], path: "Tools/Processes", swiftSettings: strict),
        // What machines and networks do to a relay, with verdicts.
        .target(
            name: "Trials",
            dependencies: ["CallState", "Faults", "Processes", "Randomness", "Rollcall", "RollcallProtocol"],
            path: "Tools/Trials",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "rollcall-trial",
            dependencies: ["Options", "Rollcall", "ToolSupport", "Trials"],
            path: "Tools/rollcall-trial",
            swiftSettings: strict
        ),
        .target(name: "Traces", dependencies: ["Randomness"], path: "Tools/Traces", swiftSettings: strict),
        .target(
            name: "TraceReplay",
            dependencies: ["CallState", "Rollcall", "RollcallProtocol", "Traces"],
            path: "Tools/TraceReplay",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "rollcall-probe",
            dependencies: ["Options", "CallState", "Faults", "RollcallProtocol", "Rollcall", "ToolSupport"],
            path: "Tools/rollcall-probe",
            exclude: ["README.md"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "rollcall-load",
            dependencies: [
                "CallState", "Options", "Randomness", "Rollcall", "RollcallProtocol", "ToolSupport", "TraceReplay",
                "Traces",
            ],
            path: "Tools/rollcall-load",
            swiftSettings: strict
        ),

        // What a store keeps in a second, beside SQLite alone.
        .executableTarget(
            name: "store-bench",
            dependencies: ["CallState", "CallStore", "CSQLite"],
            path: "Tools/benchmarks/store",
            swiftSettings: strict
        ),

        // The rules alone at a fixed job, for Tools/checks/costs.
        .executableTarget(
            name: "rollcall-costs",
            dependencies: ["CallState", "RelayCore", "RollcallProtocol"],
            path: "Tools/rollcall-costs",
            swiftSettings: strict
        ),

        .executableTarget(
            name: "rollcall-demo",
            dependencies: ["CallState", "Rollcall", "ToolSupport"],
            path: "Tools/rollcall-demo",
            swiftSettings: strict
        ),

        // Gives inputs to the fuzz targets; Tools/fuzz builds it once more, with libFuzzer as its main program.
        .executableTarget(
            name: "rollcall-fuzz",
            dependencies: ["FuzzTargets"],
            path: "Tools/rollcall-fuzz",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "rollcall-simulate",
            dependencies: ["Options", "SimulationSupport", "ToolSupport"],
            path: "Tools/rollcall-simulate",
            swiftSettings: strict
        ),

        // The quick starts of README.md, as they stand there.
        .executableTarget(
            name: "quick-start",
            dependencies: ["Rollcall"],
            path: "Tools/quick-start",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "quick-start-calls",
            dependencies: ["RollcallCalls"],
            path: "Tools/quick-start-calls",
            swiftSettings: strict
        ),

        // Tests: a target for each module, and what they share.
        .target(
            name: "TestSupport",
            dependencies: ["Faults", "Processes", "Rollcall", "Traces"],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        .target(
            name: "SimulationSupport",
            dependencies: ["CallState", "RollcallProtocol", "RelayCore", "Rollcall", "Randomness"],
            path: "Tests/SimulationSupport",
            swiftSettings: pure
        ),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "CallState", "CallStore", "RollcallProtocol", "RelayCore", "Rollcall", "Randomness", "Traces",
            ],
            path: "Tests/FuzzTargets",
            swiftSettings: pure
        ),
        .testTarget(name: "CallStateTests", dependencies: ["CallState", "Randomness"], swiftSettings: strict),
        .testTarget(
            name: "RollcallProtocolTests",
            dependencies: ["CallState", "RollcallProtocol", "Randomness"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RelayCoreTests",
            dependencies: ["CallState", "RollcallProtocol", "RelayCore", "Randomness", "TestSupport", "Traces"],
            swiftSettings: strict
        ),
        .testTarget(name: "AddressesTests", dependencies: ["Addresses"], swiftSettings: strict),
        .testTarget(name: "EventLoopTests", dependencies: ["EventLoop", "Addresses", "CLibuv"], swiftSettings: strict),
        .testTarget(
            name: "CallStoreTests",
            dependencies: ["CallState", "CallStore", "CSQLite", "Randomness", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(name: "OptionsTests", dependencies: ["Options"], swiftSettings: strict),
        .testTarget(
            name: "RelayTests",
            dependencies: [
                "Addresses", "CallState", "RollcallProtocol", "RelayCore", "EventLoop", "Options", "Randomness",
                "Relay", "CallStore",
                "Rollcall", "TestSupport", "Text",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RollcallTests",
            dependencies: [
                "CallState", "RollcallProtocol", "RelayCore", "Rollcall", "Randomness", "SimulationSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RollcallCallsTests",
            dependencies: ["CallState", "RollcallProtocol", "Rollcall", "RollcallCalls", "TestSupport"],
            swiftSettings: strict
        ),
        // Listener code as apps have it, with the settings that they have.
        .target(
            name: "VendorStyle",
            dependencies: ["RollcallCalls"],
            path: "Tests/VendorStyle",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "CallState", "Examples", "Randomness", "Rollcall", "RollcallCalls", "RollcallProtocol", "TestSupport",
                "TraceReplay", "Traces", "VendorStyle",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "InteropTests",
            dependencies: ["CallState", "RollcallProtocol", "Randomness", "Rollcall", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LoadTests",
            dependencies: [
                "CallState", "Options", "Randomness", "Rollcall", "RollcallProtocol", "TestSupport", "ToolSupport",
                "TraceReplay", "Traces", "rollcall-load",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ScenarioTests",
            dependencies: [
                "CallState", "Rollcall", "RollcallCalls", "RollcallProtocol", "SimulationSupport", "TestSupport",
            ],
            path: "Tests/Scenarios",
            exclude: ["ids"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ProcessTests",
            dependencies: ["CallState", "Rollcall", "RollcallProtocol", "TestSupport", "Trials"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "FuzzTests",
            dependencies: ["FuzzTargets", "Randomness"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["SimulationSupport", "TestSupport", "rollcall-simulate"],
            path: "Tests/Simulation",
            exclude: ["regressions"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ToolsTests",
            dependencies: [
                "CallState", "Options", "Randomness", "Rollcall", "RollcallProtocol", "TestSupport", "ToolSupport",
                "Traces",
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
