"""A process of which a gateway fails ends, as if it were killed, so that it is started again."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

FILE = """
version: 1
system: test
event_services: {north: {kind: memory}, south: {kind: memory}}
gateways: {g: {adapters: {north: {}, south: {}}}}
requests: [{gateway: g, type: subscription, source: south, dist_list: north, filter: Speed}]
"""

PROGRAM = """
import sys
from fes_gateway import __main__, committing

async def fail(self):
    raise ValueError("a bug")

if sys.argv.pop(1) == "failing":
    committing.Committing._committed = lambda self, waiting: fail(self)
__main__.main()
"""


async def ended(folder: Path, how: str) -> tuple[int, str]:
    """Run a process of a gateway until it ends; return its status and diagnostics."""
    file = folder / "federation.yaml"
    file.write_text(FILE)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, how, "--federation", str(file), "--run", str(folder)),
        *("--gateways", "g", "--http-port", "0", "--link-port", "0"),
        stdout=PIPE,
        stderr=STDOUT,
        env={**os.environ},
    )
    assert process.stdout is not None
    try:
        if how == "working":
            await process.stdout.readline()
            process.send_signal(signal.SIGTERM)
        told, _ = await asyncio.wait_for(process.communicate(), 60)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return process.returncode, told.decode()


async def test_a_gateway_that_commits_no_more_ends_its_process_with_status_1(
    tmp_path: Path,
) -> None:
    status, told = await ended(tmp_path, "failing")

    assert status == 1
    assert "task_ended" in told
    assert "a bug" in told
    logs = "".join(each.read_text() for each in (tmp_path / "logs").glob("*.jsonl"))
    assert "gateway failed" in logs
    assert '"stopped"' not in logs  # natively all stays as it is


async def test_a_gateway_that_is_stopped_ends_its_process_with_status_0(tmp_path: Path) -> None:
    status, _ = await ended(tmp_path, "working")

    assert status == 0
