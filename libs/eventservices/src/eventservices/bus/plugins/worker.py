"""The process of one plug-in: `python -I -S worker.py MEMORY_BYTES`, the source on standard input.

It reads one request after the other and answers each with one byte: `1` passes, `0` does not, `?`
is unknown. Before the plug-in's first line runs, memory is limited and no file or socket can be
opened any more.
"""

import json
import marshal
import math
import re
import resource
import struct
import sys
from typing import Any, BinaryIO

HEAD = struct.Struct(">I")
OPEN_FILES = 3
KNOWN = {"json": json, "math": math, "re": re}
"""Modules that a plug-in may use; it can import no others, since that opens files."""


def main() -> None:
    """Run until standard input ends."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    source = _read(requests)
    memory = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    names: dict[str, Any] = dict(KNOWN)
    exec(compile(source, "plug-in", "exec"), names)  # noqa: S102 - a plug-in is code: signed, and in a process without files and sockets
    test = names["passes"]
    answers.write(b"r")
    answers.flush()
    while True:
        values, attributes, user, device, state = marshal.loads(_read(requests))  # noqa: S302 - written by the bus that started this process
        found = test(values, attributes, user, device, state)
        answers.write(b"1" if found is True else b"0" if found is False else b"?")
        answers.flush()


def _read(stream: BinaryIO) -> bytes:
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        raise SystemExit(0)
    return stream.read(HEAD.unpack(head)[0])


if __name__ == "__main__":
    main()
