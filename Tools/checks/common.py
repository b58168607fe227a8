"""What the checks share: where the repository is, its files, and how a check ends.

A check is a function that returns its findings, one line of text each. `main` prints them; exit status 1 when there
are any. With --self-test the check runs on planted violations instead and must find each of them.
"""

import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
IGNORED = {".git", ".build", "__pycache__", ".swiftpm"}


def files(root, *below, ending=()):
    """Paths relative to `root` of all files below some folders, sorted."""
    found = []
    for folder in below or (".",):
        for directory, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = sorted(set(folders) - IGNORED)
            found += [os.path.relpath(os.path.join(directory, name), root) for name in names if not ending or name.endswith(ending)]
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def copy_of(root, directory):
    """Copies the repository's files, without what was built, to a new directory."""
    target = os.path.join(directory, "copy")
    shutil.copytree(root, target, ignore=lambda _, names: IGNORED & set(names), symlinks=True)
    return target


def plant(root, path, text):
    """Adds text at the end of a file of a copy; makes the file when there is none. Returns an undo."""
    full = os.path.join(root, path)
    before = None
    if os.path.exists(full):
        with open(full, "rb") as file:
            before = file.read()
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "ab") as file:
        file.write(text.encode())

    def undo():
        if before is None:
            os.remove(full)
        else:
            with open(full, "wb") as file:
                file.write(before)

    return undo


def self_test_by_planting(check, plants):
    """Runs `check` on a copy with each violation planted in turn; returns the plants that it did not find.

    A plant is (path, text, word): the finding must name the word. Findings that the copy has anyway do not count.
    """
    missed = []
    with tempfile.TemporaryDirectory(prefix="rollcall-check-") as directory:
        root = copy_of(ROOT, directory)
        before = set(check(root))
        for path, text, word in plants:
            undo = plant(root, path, text)
            if not any(word in finding for finding in set(check(root)) - before):
                missed.append(f"did not find {text.strip()!r} planted in {path}")
            undo()
    return missed


def run(*command, cwd=None):
    """Standard output and error of a command, and its exit status."""
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return done.stdout, done.returncode


def end(name, findings):
    """Prints the findings and ends the program."""
    for finding in findings:
        print(f"{name}: {finding}")
    sys.exit(1 if findings else 0)
