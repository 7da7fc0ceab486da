"""A scenario's demonstration: planned, run and judged, as its command does it."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import Collection
from pathlib import Path
from typing import Any

from support.processes.federation import is_alive


async def demonstrated(
    module: str, runs: Path, *arguments: str
) -> tuple[dict[str, Any], Collection[str]]:
    """Run a scenario, which passes and leaves no process; return its verdict and its processes."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, "demo", "--runs", str(runs)),
        *arguments,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
    folder = runs / "latest"
    processes: dict[str, int] = json.loads((folder / "endpoints.json").read_text())["processes"]
    assert [name for name, pid in processes.items() if is_alive(pid)] == []
    return json.loads((folder / "verdict.json").read_text()), processes.keys()
