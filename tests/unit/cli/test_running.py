"""Processes of a run that say too much, and watchers that fail."""

import io
import sys
from pathlib import Path

from fes.federation.load import loads
from fes.running.plan import Part
from fes.running.process import LINE_BYTES, Child
from fes.running.supervision.options import RunOptions
from fes.running.supervisor import Supervisor
from fes.testing.eventually import eventually

TALKER = f"""
print("x" * {LINE_BYTES + 100_000}, flush=True)
print("after", flush=True)
"""


async def test_a_line_without_an_end_does_not_block_the_process(tmp_path: Path) -> None:
    child = Child(Part("talker", (sys.executable, "-c", TALKER)), tmp_path)
    await child.start()

    assert await child.wait() == 0

    assert (tmp_path / "talker.log").read_bytes().endswith(b"after\n")


async def test_a_watcher_that_fails_ends_the_run_and_says_why(tmp_path: Path) -> None:
    said = io.StringIO()
    text = (
        "version: 1\nsystem: t\nevent_services: {a: {kind: memory}, b: {kind: memory}}\n"
        "gateways: {g: {adapters: {a: {}, b: {}}}}\n"
    )
    supervisor = Supervisor(loads(text, {}), RunOptions(tmp_path, tmp_path, quiet_s=0), said)

    async def fail() -> None:
        raise ValueError("a bug")

    supervisor._tasks.begin(fail(), "part")
    await eventually(supervisor._stop.is_set)

    assert await supervisor.run() == 1
    assert "part is watched no more: ValueError('a bug')" in said.getvalue()
