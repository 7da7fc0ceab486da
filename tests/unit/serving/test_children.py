"""Programs that a process starts end when it is done with them, or is gone."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from subprocess import PIPE

import pytest
from fes.testing.eventually import eventually
from serving.children import end, running, started
from serving.ending import SIGNALS, run_until_asked
from serving.output import OutputClosedError

SLEEPS = (sys.executable, "-c", "import time; time.sleep(600)")
STUBBORN = (
    *(sys.executable, "-c"),
    "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True); time.sleep(600)",
)


def test_a_program_ends_where_an_error_leaves_its_block() -> None:
    with pytest.raises(KeyboardInterrupt), started(SLEEPS) as process:
        raise KeyboardInterrupt
    assert process.returncode == -signal.SIGTERM


def test_a_program_that_ignores_a_signal_is_killed() -> None:
    with started(STUBBORN, stdout=PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        end(process, within_s=0.2)
    assert process.returncode == -signal.SIGKILL


async def test_a_program_that_runs_ends_where_its_block_is_left() -> None:
    async with running(SLEEPS) as process:
        assert process.returncode is None
    assert process.returncode == -signal.SIGTERM


async def test_a_program_that_has_ended_keeps_its_status() -> None:
    async with running((sys.executable, "-c", "raise SystemExit(7)")) as process:
        await process.wait()
    assert process.returncode == 7


def test_work_that_is_done_returns_its_result() -> None:
    async def work() -> str:
        await asyncio.sleep(0)
        return "done"

    assert run_until_asked(work()) == "done"


@pytest.mark.parametrize(
    ("number", "raised"),
    [
        (signal.SIGINT, KeyboardInterrupt),
        (signal.SIGTERM, SystemExit),
        (signal.SIGHUP, SystemExit),
    ],
)
def test_a_signal_cancels_work_once_and_is_raised_after_it(
    number: signal.Signals, raised: type[BaseException]
) -> None:
    cleaned: list[str] = []

    async def work() -> None:
        os.kill(os.getpid(), number)
        try:
            await asyncio.sleep(600)
        finally:
            os.kill(os.getpid(), number)
            await asyncio.sleep(0.05)
            cleaned.append("all")

    before = [signal.getsignal(each) for each in SIGNALS]
    with pytest.raises(raised) as error:
        run_until_asked(work())
    assert cleaned == ["all"]
    assert [signal.getsignal(each) for each in SIGNALS] == before
    if isinstance(error.value, SystemExit):
        assert error.value.code == 128 + number


def test_a_signal_that_comes_while_the_loop_is_closed_is_not_lost() -> None:
    async def late() -> None:
        try:
            await asyncio.sleep(600)
        finally:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.05)

    async def work() -> asyncio.Task[None]:
        left = asyncio.create_task(late())
        await asyncio.sleep(0)
        return left

    with pytest.raises(KeyboardInterrupt):
        run_until_asked(work())


def test_output_that_nobody_reads_cancels_work(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "w") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        with pytest.raises(OutputClosedError):
            run_until_asked(asyncio.sleep(600))


UNREPORTED = (
    "how = {'start_new_session': True, 'env': LIFELINE.begin_child()}\n"
    "child = subprocess.Popen(['sleep', '600'], **how)\n"
)
OF_A_LIBRARY = (
    "with LIFELINE.of_library(): child = subprocess.Popen(['sleep', '600'])\n"
    "assert os.environ[MARK] != LIFELINE.mark\n"
)


@pytest.mark.parametrize("begun", [UNREPORTED, OF_A_LIBRARY], ids=["ours", "of a library"])
async def test_a_child_that_nobody_reported_ends_with_an_interrupted_parent(
    tmp_path: Path, begun: str
) -> None:
    parent = (
        "import os, subprocess, pathlib, sys\n"
        "from serving.lifeline import LIFELINE, MARK\n"
        f"{begun}"
        "pathlib.Path('child').write_text(str(child.pid))\n"
        "raise SystemExit(3)\n"
    )
    command = (sys.executable, "-W", "ignore", "-c", parent)
    async with running(command, cwd=tmp_path) as process:
        assert await process.wait() == 3
    pid = int((tmp_path / "child").read_text())

    def is_gone() -> bool:
        place = Path(f"/proc/{pid}/stat")
        return not place.exists() or place.read_text().rpartition(")")[2].split()[0] == "Z"

    await eventually(is_gone)


async def test_a_command_ends_with_the_parent_that_requests_it(tmp_path: Path) -> None:
    inner = (
        "import os, pathlib, sys, time\n"
        "from serving.command import command\n"
        "def run():\n"
        "    assert 'FES_PARENT' not in os.environ\n"
        "    pathlib.Path('inner.new').write_text(str(os.getpid()))\n"
        "    os.rename('inner.new', 'inner')\n"
        "    try: time.sleep(600)\n"
        "    finally: pathlib.Path('cleaned').touch()\n"
        "sys.exit(command('inner', run))\n"
    )
    (tmp_path / "inner.py").write_text(inner)
    shell = f"FES_PARENT=$$ {sys.executable} inner.py & wait"
    async with running(("sh", "-c", shell), cwd=tmp_path) as process:
        await eventually((tmp_path / "inner").exists)
        process.kill()
        await process.wait()
    await eventually((tmp_path / "cleaned").exists)
