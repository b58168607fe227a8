/// How often each fault happened and each branch of a resume was taken: a simulation that never gets there proves
/// nothing.
package struct Coverage: Sendable {
    /// What is counted.
    package enum Mark: Int, CaseIterable, Sendable {
        // Faults.
        case cutKnownToBoth, cutKnownToClient, cutKnownToRelay, halfOpen, held, cutInsideFrame
        case slowReader, stalled, frameLost, clockForward, clockBack, clientCrash, clientPowerLoss, clientRewound
        case relayCrash, relayCrashBetweenEffects, relayCrashSilent, relayStandstill, plannedStop, unreachable
        case malformedSent, wrongSecret, lateSecret, stalePosition, positionOfOtherEpoch, positionNeverIssued
        case toldLagging, toldCaughtUp, refusedRate, refusedOverload, floodedAnswers, readingPaused, readingResumed,
            duplicateConnection, helloTimeout, gathered, gatheredTold
        // Joining and coming back.
        case joinedNew, joinedResumed, joinedExpired, joinedReplaced, joinedObserver, actorResumed
        case followsDeltaAcrossEpochs, followsNothing, followsDelta, followsSnapshot
        case snapshotJoin, snapshotBelowFloor, snapshotEpoch, snapshotUnknownPosition, snapshotDigest
        case snapshotLagged, snapshotRequested
        case snapshotOfParts, snapshotCancelled, resumeInsideSnapshot, resumeTwice, commandAnsweredAgain
        // What clients ask for when a frame was lost.
        case resyncGap, resyncAhead, resyncUnspecified
        // Ends.
        case closedReplacedNever, closedReplacedNow, closedStaleAttempt, closedRemoved, closedIdle, closedLocked
        case closedLimit, closedSilent, closedLagged, closedGoingAway, closedBadFrame, closedOutOfOrder, closedLeft
        case leftLost, leftLeft, meetingEnded, callFreed
        // State.
        case commandAcknowledged, commandRefused, tombstonesDropped, dominantSpeakerElected, handRaised
        case broughtIn, takenOut
        // The store.
        case batchAppended, storeFailed, storeUnavailable, storeSilent, unsyncedLost, relayCrashBeforeAnswer
        case relayCrashWhileClaiming, relayCrashInNewEpoch, stopWhileStoreFails
        case cleanStop, restatedAfterLoss, claimedNew, claimedClean, claimedUnclean, restoredCompared
        // The simulation itself.
        case calm, restCompared, appLooked, observerRest, peekCompared
    }

    /// By ``Mark/rawValue``.
    package private(set) var counts = [UInt64](repeating: 0, count: Mark.allCases.count)

    /// Nothing yet.
    package init() {}

    mutating func note(_ mark: Mark) { counts[mark.rawValue] += 1 }

    /// Adds what another run saw.
    package mutating func add(_ other: Coverage) {
        for index in counts.indices { counts[index] += other.counts[index] }
    }

    /// How often something happened.
    package func count(_ mark: Mark) -> UInt64 { counts[mark.rawValue] }

    /// What never happened.
    package var missing: [Mark] { Mark.allCases.filter { count($0) == 0 } }
}
