"""Child processes: what they tell at their start, and where they listen when started again."""

import signal
import sys
from pathlib import Path

from fes.running.plan import Part
from fes.running.process import Child

TELLS = """
import json, sys, time
told = {"started": "p", "http": "http://127.0.0.1:4711", "link": "ws://127.0.0.1:4712/link"}
print(json.dumps({**told, "asked": sys.argv[1:]}), flush=True)
time.sleep(60)
"""
TELLS_ONCE = "import sys\nif sys.argv[1:]: sys.exit(3)\n" + TELLS


def child(folder: Path, text: str, *gateways: str) -> Child:
    return Child(Part("p", (sys.executable, "-c", text), gateways=gateways), folder)


async def test_a_gateway_that_is_started_again_listens_where_it_did(tmp_path: Path) -> None:
    part = child(tmp_path, TELLS, "g1")
    for asked in ([], ["--http-port", "4711", "--link-port", "4712"]):
        await part.start()
        assert await part.announced(20.0)
        assert part.started["asked"] == asked
        assert await part.stop(signal.SIGKILL) == -signal.SIGKILL


async def test_another_part_is_started_again_as_it_was(tmp_path: Path) -> None:
    part = child(tmp_path, TELLS)
    for _ in range(2):
        await part.start()
        assert await part.announced(20.0)
        assert part.started["asked"] == []
        await part.stop(signal.SIGKILL)


async def test_a_process_that_dies_before_it_tells_has_not_told_what_the_last_one_did(
    tmp_path: Path,
) -> None:
    part = child(tmp_path, TELLS_ONCE, "g1")
    await part.start()
    assert await part.announced(20.0)
    await part.stop(signal.SIGKILL)
    await part.start()
    assert not await part.announced(20.0)
    assert await part.wait() == 3
