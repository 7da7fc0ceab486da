"""Each service is killed in its step, one after the other, and how long it was away is noted."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from building_walk.restarts import Restarter
from building_walk.story import OUTAGES, PROGRESS, Restart


@contextmanager
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """Run a process that waits to be killed."""
    command = [sys.executable, "-c", "import signal; signal.pause()"]
    with subprocess.Popen(command) as process:
        try:
            yield process
        finally:
            process.kill()


def living(run: Path, **pids: int | None) -> None:
    (run / "endpoints.json").write_text(json.dumps({"processes": pids}))


def test_the_next_is_killed_only_once_the_one_before_is_back(tmp_path: Path) -> None:
    with ExitStack() as stack:
        one, two, other = (stack.enter_context(sleeper()) for _ in range(3))
        restarter = Restarter(tmp_path, [Restart(1, "policy"), Restart(2, "naming")])
        living(tmp_path, policy=one.pid, naming=two.pid)
        restarter.look()
        (tmp_path / PROGRESS).write_text("0\n")
        restarter.look()
        assert one.poll() is None
        (tmp_path / PROGRESS).write_text("2\n")
        restarter.look()
        assert one.wait() < 0
        living(tmp_path, policy=None, naming=two.pid)
        restarter.look()
        assert two.poll() is None
        assert not (tmp_path / OUTAGES).exists()
        living(tmp_path, policy=other.pid, naming=two.pid)
        restarter.look()
        assert two.wait() < 0
        (line,) = (tmp_path / OUTAGES).read_text().splitlines()
        outage = json.loads(line)
        assert outage["name"] == "policy"
        assert outage["from_s"] <= outage["until_s"]
