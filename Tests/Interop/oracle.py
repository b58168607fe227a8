"""The oracle of the codec tests: the official protobuf runtime for Python.

    oracle.py SEED COUNT < frames

Each line of the input is `client HEX` or `server HEX`, a message without its length. For each it prints `same`, or
what the runtime makes of it: `differs HEX` or `error TEXT`. After that it prints COUNT random messages of its own, in
the form of the input. Exit status 3: the runtime or the compiler is not installed.
"""

import random
import sys

from oracle_schema import compile_schema


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    schema = compile_schema()
    # Only now, since it needs the runtime that the line before has found.
    from google.protobuf.message import DecodeError
    from oracle_random import RandomFrames

    for line in sys.stdin:
        direction, text = line.split()
        message = schema.ClientFrame() if direction == "client" else schema.ServerFrame()
        try:
            message.ParseFromString(bytes.fromhex(text))
        except DecodeError as error:
            print("error", error)
            continue
        again = message.SerializeToString(deterministic=True).hex()
        print("same" if again == text else f"differs {again}")
    frames = RandomFrames(schema, random.Random(seed))
    for _ in range(count):
        direction, message = frames.frame()
        print(direction, message.SerializeToString(deterministic=True).hex())


if __name__ == "__main__":
    main()
