"""`fes kill`: ends a part of a run on purpose, and notes for the judge that it was not a crash."""

import json
import os
import signal
from argparse import ArgumentParser, Namespace, _SubParsersAction
from pathlib import Path
from typing import TextIO

from serving.clocks import wall_us

from fes.errors import FesError
from fes.running.supervision.endpoints import Listed, read_endpoints

SIGNALS = {"KILL": signal.SIGKILL, "TERM": signal.SIGTERM}


def add_parser(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Add the command to the command line of `fes`."""
    parser = subparsers.add_parser(
        "kill", help="end a part of a run, and note for the judge that it was on purpose"
    )
    parser.add_argument("part", help="a gateway, or a process of the run's endpoints.json")
    parser.add_argument("--run", type=Path, default=Path("runs/latest"), help="folder of the run")
    parser.add_argument("--signal", choices=tuple(SIGNALS), default="KILL")


def kill(options: Namespace, out: TextIO) -> int:
    """Note that a part is ended on purpose, and end its process.

    Raises:
        FesError: There is no such run, part or process.
    """
    pid = _pid(read_endpoints(options.run), options.part)
    if not _is_of(pid, options.run):
        raise FesError(f"{options.part}: its process {pid} is not there any more")
    number = SIGNALS[options.signal]
    _note(options.run / "outages.jsonl", options.part, number)
    os.kill(pid, number)
    out.write(f"{options.part}: sent SIG{options.signal} to process {pid}\n")
    return 0


def _pid(listed: Listed, part: str) -> int:
    pids = {**listed.processes, **{name: each.pid for name, each in listed.gateways.items()}}
    if part not in pids:
        names = ", ".join(sorted(pids))
        raise FesError(f"{part}: is not a part of this run; there are: {names}")
    pid = pids[part]
    if pid is None:
        raise FesError(f"{part}: has no process now")
    return pid


def _is_of(pid: int, run: Path) -> bool:
    """Return whether a process belongs to a run, by its command line: process ids are reused."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except FileNotFoundError:
        return False
    return any(os.fsencode(run.resolve()) in word for word in words)


def _note(path: Path, part: str, number: signal.Signals) -> None:
    now_us = wall_us()
    line = {"v": 1, "part": part, "from_us": now_us, "to_us": now_us, "by": "operator"}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**line, "cause": f"signal {number.value}"}) + "\n")
