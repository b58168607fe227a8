import Relay

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

exit(RelayCommand.run(arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessEnvironment.variables()))
