"""Makes Protocol/vectors with the official protobuf runtime.

    oracle_vectors.py            writes the files
    oracle_vectors.py --check    compares them with what it would write; exit status 1 when one differs

Names of vectors are stable: add new ones, never rename.
"""

import json
import os
import sys

from oracle_schema import PROTOCOL, compile_schema, schema_text
import oracle_vectors_client
import oracle_vectors_digest
import oracle_vectors_invalid
import oracle_vectors_later
import oracle_vectors_server

DIRECTORY = os.path.join(PROTOCOL, "vectors")


def framed(message):
    """A frame: the length, big-endian, and the message."""
    return (len(message).to_bytes(4, "big") + message).hex()


def vectors(schema, direction, body, cases):
    """The vectors of one message: JSON in, bytes and canonical JSON out, both by the official runtime."""
    from google.protobuf import json_format

    made = []
    for name, content in cases.items():
        frame = schema.ClientFrame() if direction == "client" else schema.ServerFrame()
        json_format.ParseDict({body: content}, frame)
        message = frame.SerializeToString(deterministic=True)
        made.append({
            "name": name,
            "direction": direction,
            "hex": framed(message),
            "json": json_format.MessageToDict(frame),
        })
    return made


def files():
    """The content of each file, by name."""
    schema = compile_schema()
    made = {}
    for direction, source in (("client", oracle_vectors_client), ("server", oracle_vectors_server)):
        for file, (body, cases) in source.cases().items():
            made[f"{file}.json"] = vectors(schema, direction, body, cases)
    later = compile_schema(oracle_vectors_later.text(schema_text()), "rollcall_later")
    made["later.json"] = oracle_vectors_later.vectors(schema, later, framed)
    made["invalid.json"] = oracle_vectors_invalid.vectors(framed)
    made["stream.json"] = oracle_vectors_invalid.streams(framed)
    made["digest.json"] = oracle_vectors_digest.vectors(schema, framed)
    return {name: json.dumps(content, indent=2, ensure_ascii=True) + "\n" for name, content in made.items()}


def main():
    check = sys.argv[1:] == ["--check"]
    status = 0
    for name, text in files().items():
        path = os.path.join(DIRECTORY, name)
        if check:
            with open(path, encoding="utf-8") as file:
                if file.read() != text:
                    print(f"{name} is not what the official runtime writes; run {os.path.basename(__file__)}")
                    status = 1
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    sys.exit(status)


if __name__ == "__main__":
    main()
