"""Joins a call of a running relay late, follows it, and prints position and digest as one line of JSON.

    join_late.py --connect unix:/run/rollcall.sock --session standup --until 1770000000000.5000
    join_late.py --connect tcp:127.0.0.1:7420 --session standup --for 5
    ... | join_late.py --connect tcp:127.0.0.1:7420 --session standup --until -     (reads EPOCH.SEQ while following)

Exit status: 0 the position was reached (or the time is over) and the copy is whole, 1 it was not, 2 wrong usage.
"""

import argparse
import json
import sys

from client import Client, Ended, connect


def parse():
    parser = argparse.ArgumentParser(description="Joins a call late and prints position and digest as JSON.")
    parser.add_argument("--connect", required=True, metavar="ADDRESS", help="unix:PATH or tcp:HOST:PORT")
    parser.add_argument("--session", required=True, help="session id of the call")
    parser.add_argument("--uid", default="", help="join as this participant instead of as an observer")
    parser.add_argument("--device", default="interop", help="device of the participant")
    parser.add_argument("--until", metavar="EPOCH.SEQ", help="follow until this position; - reads it from the standard input")
    parser.add_argument("--for", dest="seconds", type=float, default=60.0, help="follow for at most so long, 60 s unless said")
    parser.add_argument("--announce", action="store_true", help="print a first line of JSON once the join is complete")
    return parser.parse_args()


def position(text):
    epoch, seq = text.strip().split(".")
    return int(epoch), int(seq)


def report(client, **more):
    copy = client.copy
    print(
        json.dumps(
            {
                **more,
                "epoch": copy.position[0],
                "seq": copy.position[1],
                "digest": f"{copy.digest:016x}",
                "records": len(copy.records),
                "people": [person["uid"] for person in copy.people()],
                **client.counts,
            }
        ),
        flush=True,
    )


def main():
    options = parse()
    target = position(options.until) if options.until and options.until != "-" else None
    try:
        client = Client(
            connect(options.connect),
            options.session,
            uid=options.uid,
            device=options.device if options.uid else "",
            observer=not options.uid,
        )
        if not client.run(lambda: client.is_complete):
            print("the join was not completed", file=sys.stderr)
            return 1
        if options.announce:
            report(client, joined=True)
        if options.until == "-":
            client.run(lambda: False, options.seconds, wake=[sys.stdin])
            target = position(sys.stdin.readline())
        reached = client.run(lambda: target is not None and client.copy.position >= target, options.seconds)
    except (Ended, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    whole = client.copy.digest == client.copy.recomputed_digest()
    report(client, joined=True, whole=whole)
    return 0 if whole and (reached or target is None) else 1


if __name__ == "__main__":
    sys.exit(main())
