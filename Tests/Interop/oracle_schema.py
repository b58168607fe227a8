"""The official protobuf runtime with the schema of rollcall.proto, compiled into a temporary directory."""

import importlib
import os
import subprocess
import sys
import tempfile

MISSING = 3  # Exit status of the oracle when the runtime or the compiler is not installed.

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PROTOCOL = os.path.join(ROOT, "Protocol")


def require_runtime():
    """Ends the program with MISSING when the official runtime or protoc is not there."""
    try:
        importlib.import_module("google.protobuf")
        subprocess.run(["protoc", "--version"], check=True, capture_output=True)
    except (ImportError, OSError) as error:
        print(f"python3-protobuf or protobuf-compiler is missing: {error}", file=sys.stderr)
        sys.exit(MISSING)


def compile_schema(text=None, name="rollcall"):
    """The module for rollcall.proto, or for another text of a schema."""
    require_runtime()
    with tempfile.TemporaryDirectory() as directory:
        if text is None:
            source = PROTOCOL
        else:
            source = directory
            with open(os.path.join(directory, f"{name}.proto"), "w", encoding="utf-8") as file:
                file.write(text)
        subprocess.run(["protoc", f"-I{source}", f"--python_out={directory}", f"{name}.proto"], check=True)
        sys.path.insert(0, directory)
        sys.dont_write_bytecode = True
        try:
            return importlib.import_module(f"{name}_pb2")
        finally:
            sys.path.remove(directory)


def schema_text():
    """The text of rollcall.proto."""
    with open(os.path.join(PROTOCOL, "rollcall.proto"), encoding="utf-8") as file:
        return file.read()
