"""A whole run: rounds over all servers in turn, so that disturbance spreads, and the files that come of it."""

import json
import os
import platform
import time

from . import durable, measure, programs, report
from .servers import Server
from .summary import Summary
from .trouble import Trouble

QUIET_S = 3


def quiet(kind, cpu):
    """What a server uses while nobody is connected."""
    with Server(kind, cpu) as server:
        time.sleep(1)
        before, begin = _cpu_s(server.process.pid), time.monotonic()
        time.sleep(QUIET_S)
        load = (_cpu_s(server.process.pid) - before) / (time.monotonic() - begin)
        with open(f"/proc/{server.process.pid}/smaps_rollup", encoding="utf-8") as file:
            rss = next(int(line.split()[1]) for line in file if line.startswith("Rss:"))
    return {"server": kind.name, "test": "quiet", "load_percent": load * 100, "rss_mb": rss * 1024 / 1e6}


def _cpu_s(process):
    total = 0
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/schedstat", encoding="utf-8") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def facts(kinds, plan, cores):
    """What one must know to read the numbers."""
    model = "unknown"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    used = {kind.program: kind for kind in kinds if kind.role != "floor"}
    return {
        "machine": f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
        "cores": f"server on {cores[0]}, generator on {cores[1]}",
        "rounds": f"{plan.rounds}, {plan.seconds:g} s for each rate, {plan.joins} joins",
        "servers": "; ".join(programs.version(program) for program in used),
    }


def run(kinds, plan, generator, cores, output, limit_s, store_bench=None):
    """Measures and writes results.jsonl, summary.json and table.md; gives the summary.

    `store_bench`: the program that measures SQLite alone, for the table of what keeping costs; None leaves it out.
    """
    os.makedirs(output, exist_ok=True)
    begin, results = time.monotonic(), []
    with open(os.path.join(output, "results.jsonl"), "w", encoding="utf-8") as file:
        if store_bench:
            results += durable.alone(store_bench, cores[0])
            file.writelines(json.dumps(result) + "\n" for result in results)
        for number in range(1, plan.rounds + 1):
            for kind in kinds:
                if time.monotonic() - begin > limit_s:
                    programs.say(f"  stopping   after {limit_s} s, in round {number}; the rounds so far count")
                    break
                for result in _one(kind, plan, generator, cores, number):
                    file.write(json.dumps({"round": number, **result}) + "\n")
                    file.flush()
                    results.append(result)
                programs.say(f"  {time.monotonic() - begin:4.0f} s  round {number} of {plan.rounds}  {kind.name}")
    summary = Summary(results)
    known = facts(kinds, plan, cores)
    known["other work on the machine"] = _disturbance(results)
    with open(os.path.join(output, "summary.json"), "w", encoding="utf-8") as file:
        json.dump({"facts": known, "cells": summary.as_json()}, file, indent=1)
        file.write("\n")
    peers = {kind.name for kind in kinds if kind.role == "peer"}
    text = report.markdown(summary, known, peers)
    with open(os.path.join(output, "table.md"), "w", encoding="utf-8") as file:
        file.write(text)
    print(text)
    programs.say(f"  wrote      {os.path.join(output, 'table.md')}, summary.json, results.jsonl")
    return summary


def _one(kind, plan, generator, cores, number):
    results = []
    if "quiet" in plan.tests and kind.role != "peer" and kind.only is None and number == 1:
        results.append(quiet(kind, cores[0]))
    tests = plan.of(kind, number == 1)
    if not tests:
        return results
    try:
        with Server(kind, cores[0]) as server:
            return results + measure.run(generator, server, tests, cores[1])
    except Trouble as trouble:
        programs.say(f"  {kind.name}: {trouble}")
        return results + [{"server": kind.name, "test": test, **p, "error": str(trouble)} for test, p in tests]


def _disturbance(results):
    shares = sorted(result["contention"] for result in results if "contention" in result)
    if not shares:
        return "not measured"
    return f"{shares[len(shares) // 2]:.2f} cores (median), {shares[-1]:.2f} at most; above 0.2, trust CPU time, not clocks"
