"""The command line of Tools/bench."""

import argparse
import os
import signal
import sys
import time

from . import counts, durable, growth, plan, programs, runner, servers, smoke
from .trouble import USAGE, Trouble

ABOUT = """Measures the relay beside the floor (the least that a fan-out server on libuv can do) and its best peers, in turn in
one run: fan-out, repeated changes, latency, late join, join storm, memory, and the quiet server."""
EPILOG = """tests: %s; all unless some are named
       counts   system calls (strace), heap allocations and instructions (valgrind) per command and delivery
       smoke    a tiny run that holds counts: every change arrives, no gap, no wrong record
       growth   how costs grow: with subscribers, people, connections and calls, as curves (SVG) and numbers
       list     the servers that can be measured here

Peers are found in PATH, or where REDIS_SERVER, VALKEY_SERVER, NATS_SERVER and MOSQUITTO say; who is not installed is
skipped. Progress goes to stderr, the tables to stdout and, with the data, into the output folder.
Exit status: 0 done, 64 wrong usage, 65 a count is wrong, 66 no such program, 69 something needed is missing.
Tools/benchmarks/README.md tells what the numbers mean.""" % " ".join(plan.TESTS)


def numbers(text):
    values = [int(word) for word in text.split(",")]
    if not all(0 < value <= 50000 for value in values):
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of numbers from 1 to 50000")
    return values


def people(text):
    values = numbers(text)
    if any(value % 4 for value in values):
        raise argparse.ArgumentTypeError(f"'{text}': people are shared out to 4 publishers, so give multiples of 4")
    return values


def between(low, high, kind=int):
    def parse(text):
        value = kind(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} is not from {low} to {high}")
        return value

    return parse


def core(text):
    value = int(text)
    if value not in os.sched_getaffinity(0):
        raise argparse.ArgumentTypeError(f"core {value} is not one of {sorted(os.sched_getaffinity(0))}")
    return value


class Parser(argparse.ArgumentParser):
    def error(self, message):
        sys.stderr.write(f"bench: {message}; try --help\n")
        sys.exit(USAGE)


def parser():
    parse = Parser(
        prog="Tools/bench", description=ABOUT, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parse.add_argument
    add("tests", nargs="*", metavar="TEST", help="what to measure; see below")
    add("--quick", action="store_true", help="one short round at N = 100 and P = 1000, under a minute")
    add("--servers", metavar="NAMES", help="only these servers, by name or part of it, with commas between")
    add("--n", type=numbers, metavar="N,...", help="subscribers; joins of a storm; idle connections")
    add("--people", type=people, metavar="P,...", help="people in the call of late joins and storms")
    add("--window", type=between(1, 256), default=256, help="changes outstanding, up to 256 (256)")
    add("--rate", type=between(1, 100000), help="changes per second of the latency test")
    add("--seconds", type=between(0.1, 60, float), help="time for each rate (1)")
    add("--rounds", type=between(1, 100), help="rounds over all servers (5)")
    add("--joins", type=between(1, 1000), help="late joins of a round (30)")
    add("--tick", type=between(1, 1000), default=5, metavar="MS", help="the tick of floor-tick, epoll-tick and rollcall-tick (5)")
    add("--limit", type=between(10, 36000), default=3600, metavar="S", help="begin nothing new after so long (3600)")
    add("--relay", metavar="PATH", help="this relay instead of a release build of the checkout")
    add("--relay-option", action="append", default=[], metavar="OPTION", help="counts: hand this to the relay; may be repeated")
    add("--costs", metavar="PATH", help="growth: this rollcall-costs instead of a release build of the checkout")
    add("--store-bench", metavar="PATH", help="durable: this store-bench instead of a release build of the checkout")
    add("--short", action="store_true", help="growth: few and small points, to see that all works")
    add("--count", choices=sorted(counts.TOOLS), help="counts: only these")
    add("--server-core", type=core, default=min(os.sched_getaffinity(0)), metavar="N", help="the servers' core")
    add("--generator-core", type=core, default=max(os.sched_getaffinity(0)), metavar="N", help="the generator's core")
    add("--output", metavar="FOLDER", help="where results go (.build/bench/TIME)")
    return parse


def chosen_plan(options):
    if options.quick:
        made = plan.Plan(n=[100], people=[1000], seconds=0.3, rounds=1, joins=5)
    else:
        made = plan.Plan()
    made.tests = options.tests or plan.TESTS
    made.window = options.window
    for name in ("n", "people", "rate", "seconds", "rounds", "joins"):
        if getattr(options, name) is not None:
            setattr(made, name, getattr(options, name))
    return made


def chosen_servers(options, relay):
    kinds, absent = servers.kinds(programs.floor(), programs.raw_floor(), relay, options.tick)
    wanted = options.servers.split(",") if options.servers else None
    if options.quick and not wanted:
        peer = next((kind.name for kind in kinds if kind.name in ("valkey", "redis", "nats")), "no-peer")
        wanted = ["floor-", "epoll-", "rollcall-", peer + "$"]
    names = [kind.name for kind in kinds]
    for word in wanted or ():
        if word != "no-peer$" and not any(_fits(word, name) for name in [*names, *absent]):
            raise Trouble(f"no server is named '{word}': there are {', '.join([*names, *absent])}", USAGE)
    for name, reason in absent.items():
        if not wanted or any(_fits(word, name) for word in wanted):
            programs.say(f"  skipped    {name}: {reason}")
    return [kind for kind in kinds if _is_chosen(kind, wanted, "list" in options.tests)]


def _is_chosen(kind, wanted, is_listing):
    if kind.must_be_named and not is_listing:
        return any(kind.name == word.removesuffix("$") for word in wanted or ())
    return not wanted or any(_fits(word, kind.name) for word in wanted)


def _fits(word, name):
    return name == word[:-1] if word.endswith("$") else word in name


def main(arguments):
    options = parser().parse_args(arguments)
    alone = {"counts", "smoke", "growth", "list"} & set(options.tests)
    unknown = set(options.tests) - set(plan.TESTS) - alone
    if unknown or (alone and len(options.tests) > 1):
        what = f"there is no test '{min(unknown)}'" if unknown else f"'{min(alone)}' stands alone"
        sys.stderr.write(f"bench: {what}; try --help\n")
        return USAGE
    # An end from outside also ends what was started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    cores = (options.server_core, options.generator_core)
    output = options.output or os.path.join(programs.BUILT, time.strftime("%Y-%m-%d-%H%M%S"))
    try:
        generator = programs.generator()
        if alone == {"smoke"}:
            return smoke.run(generator, programs.floor(), programs.raw_floor(), programs.relay(options.relay))
        relay = programs.relay(options.relay)
        if alone == {"counts"}:
            counts.run(generator, relay, output, sorted({1, options.window}), options.relay_option, cores, options.count)
            return 0
        if alone == {"growth"}:
            growth.run(generator, relay, options.costs, output, cores, options.short)
            return 0
        kinds = chosen_servers(options, relay)
        if alone == {"list"}:
            print("\n".join(f"{kind.name:15} {kind.program}" for kind in kinds))
            return 0
        if cores[0] == cores[1]:
            programs.say("  note       server and generator share a core: rates and latencies mean little")
        chosen = chosen_plan(options)
        keeps = "durable" in chosen.tests and not options.quick and any(kind.name == "rollcall-sync" for kind in kinds)
        beside = durable.program(options.store_bench) if keeps else None
        runner.run(kinds, chosen, generator, cores, output, options.limit, beside)
        return 0
    except Trouble as trouble:
        sys.stderr.write(f"bench: {trouble}\n")
        return trouble.status
    except KeyboardInterrupt:
        return 130
