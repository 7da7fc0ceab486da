"""Children end when their parent is killed, grandchildren too; not when it lets them go."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from fes.testing.eventually import eventually

PARENT = """
import subprocess, sys, time
from serving.lifeline import LIFELINE
child = subprocess.Popen(
    ["sh", "-c", "sleep 600 & echo $! > grandchild; setsid sleep 601 & echo $! > escaped; wait"],
    start_new_session=True, env=LIFELINE.begin_child(),
)
if sys.argv[1] != "unreported":
    LIFELINE.add(child.pid)
if sys.argv[1] == "released":
    LIFELINE.release()
open("child", "w").write(f"{child.pid}\\n")
time.sleep(600)
"""
NAMES = ("child", "grandchild", "escaped")


def lives(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def pids(folder: Path) -> list[int]:
    texts = [(folder / name).read_text() for name in NAMES if (folder / name).exists()]
    return [int(text) for text in texts if text.endswith("\n")]


@pytest.mark.parametrize("how", ["reported", "unreported", "released"])
async def test_what_a_killed_parent_started_ends_unless_it_was_let_go(
    how: str, tmp_path: Path
) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, how], cwd=tmp_path) as parent:  # noqa: ASYNC220 - a child that is not awaited
        await eventually(lambda: len(pids(tmp_path)) == len(NAMES), within_s=60)
        parent.kill()
    try:
        if how == "released":
            assert all(lives(pid) for pid in pids(tmp_path))
        else:
            await eventually(lambda: not any(map(lives, pids(tmp_path))), within_s=60)
    finally:
        for pid in pids(tmp_path):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
