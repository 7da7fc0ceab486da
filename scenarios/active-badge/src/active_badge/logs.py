"""The sinks' logs, counted by another program."""

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlparse

from serving.children import running

from active_badge.errors import ExperimentError


@dataclass(frozen=True, slots=True)
class LogCount:
    """What a log contains: sightings, different ones, and lines that cannot be read."""

    count: int
    different: int
    unreadable: int


async def count_logs(folder: Path) -> dict[tuple[str, str], LogCount]:
    """Return what the logs of a folder contain, by mode and sink; an empty log has no entry.

    Raises:
        ExperimentError: The program that counts failed; the message has its last line.
    """
    command = (sys.executable, "-m", "active_badge.counting", str(folder))
    pipe = asyncio.subprocess.PIPE
    async with running(command, stdout=pipe, stderr=pipe) as process:
        out, problems = await process.communicate()
    if process.returncode:
        last = problems.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise ExperimentError(f"counting the logs with Spark failed: {''.join(last)[:300]}")
    found = {}
    for row in json.loads(out.decode().strip().splitlines()[-1]):
        name = unquote(Path(urlparse(unquote(row["file"]).replace("#", "%23")).path).name)
        mode, _, sink = name.removesuffix(".csv").partition(",")
        found[mode, sink] = LogCount(row["count"], row["different"], row["unreadable"] or 0)
    return found
