import Testing

/// The tests that talk with a running relay.
///
/// One at a time: some wait in calls of the system, and the pool of tasks has few threads.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RelayProcessTests {}
