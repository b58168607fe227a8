"""Runs the generator against a server and reads its results."""

import json
import subprocess

from .servers import pinned
from .trouble import INTERNAL, Trouble


def text_of(test, parameters):
    return ":".join([test] + [f"{name}={value:g}" for name, value in parameters.items()])


def run(generator, server, tests, cpu=None, limit_s=300):
    """Runs tests, given as (name, parameters), in order; gives their results as they come.

    A server that fails or falls silent gives results with `error`; only a generator that can't run is trouble.
    """
    line = [generator, server.kind.driver, server.address, str(server.measured_process())]
    line += [text_of(*test) for test in tests]
    process = subprocess.Popen(
        line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=pinned(cpu)
    )
    try:
        output, errors = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        errors += f"\nthe generator was stopped after {limit_s} s"
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    results = [json.loads(text) for text in output.splitlines() if text.startswith("{") and text.endswith("}")]
    if process.returncode in (64, 127):
        raise Trouble(f"the generator refused {' '.join(line[1:])}: {errors.strip()}", INTERNAL)
    for result in results:
        result["server"] = server.kind.name
    for test, parameters in tests[len(results) :]:
        lost = {"server": server.kind.name, "test": test, **parameters, "error": "no result"}
        results.append(lost)
    for result in results:
        if "error" in result and errors.strip():
            result["error"] += f" ({errors.strip().splitlines()[-1]})"
    return results
