"""The programs under test and those that measure: where they are, and how they are built."""

import glob
import os
import shutil
import subprocess
import sys

from .trouble import Trouble

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
BUILT = os.path.join(ROOT, ".build", "bench")
FLAGS = ["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror"]


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(line, **more):
    """Runs a program to its end and gives what it said."""
    return subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, **more)


def _compile(name, sources, libraries=()):
    """Builds a C program into .build/bench when a source is newer than it."""
    output = os.path.join(BUILT, name)
    newest = max(os.path.getmtime(path) for path in sources + glob.glob(os.path.join(os.path.dirname(sources[0]), "*.h")))
    if os.path.exists(output) and os.path.getmtime(output) > newest:
        return output
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("clang")
    if not compiler:
        raise Trouble("a C compiler is missing: install gcc or clang, or name one in CC")
    os.makedirs(BUILT, exist_ok=True)
    say(f"  building   {name}")
    fresh = f"{output}.{os.getpid()}"
    result = subprocess.run([compiler, *FLAGS, "-o", fresh, *sources, *libraries], capture_output=True, text=True)
    if result.returncode != 0:
        raise Trouble(f"{name} could not be built:\n{result.stderr.strip()}")
    os.replace(fresh, output)
    return output


def generator():
    if not sys.platform.startswith("linux"):
        raise Trouble("the generator needs Linux: it stands on epoll and /proc")
    return _compile("generator", sorted(glob.glob(os.path.join(HERE, "generator", "*.c"))))


def raw_floor():
    """The floor below libuv."""
    return _compile("epoll", [os.path.join(HERE, "floor", "epoll.c")])


def floor():
    """The floor server; None without libuv."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libuv"], capture_output=True, text=True)
    if flags.returncode != 0:
        return None
    return _compile("floor", [os.path.join(HERE, "floor", "floor.c")], flags.stdout.split())


def built(product):
    """A release build of a program of this checkout."""
    say(f"  building   {product}, for release (a few minutes the first time)")
    build = ["swift", "build", "-c", "release", "--product", product]
    result = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    if result.returncode != 0:
        raise Trouble(f"{product} could not be built:\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return os.path.join(ROOT, ".build", "release", product)


def relay(path=None):
    """The relay: the one that is named, else a release build of this checkout."""
    if path:
        if not os.access(path, os.X_OK):
            raise Trouble(f"{path} is no program", 66)
        return os.path.abspath(path)
    return built("rollcall-relay")


def peer(name):
    """A peer's program: from NAME_SERVER in the environment, else from PATH; None where it is not installed."""
    variable = name.upper().replace("-", "_")
    named = os.environ.get(variable)
    if named and not os.access(named, os.X_OK):
        raise Trouble(f"{variable} names {named}, which is no program", 66)
    return named or shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def version(program):
    """The first line of what the program says about its version."""
    for flag in ("--version", "-h"):
        try:
            result = subprocess.run([program, flag], capture_output=True, text=True, timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            continue
        lines = (result.stdout + result.stderr).strip().splitlines()
        if lines:
            return lines[0]
    return "unknown"
