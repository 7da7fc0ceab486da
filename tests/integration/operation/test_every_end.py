"""However a command ends, nothing of it is left: no process, no port, no temporary file.

`FES_ENDS=20` has each way tried at so many moments, drawn from `FES_ENDS_SEED`; CI tries a few.
"""

import asyncio
import logging
import os
import random
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from fes.testing.eventually import eventually
from support.processes.ending import (
    AT_A_TERMINAL,
    WAYS,
    Command,
    at_moment,
    is_free,
    nothing_left,
    unwanted,
)

log = logging.getLogger(__name__)

MOMENTS = int(os.environ.get("FES_ENDS", "2"))
SEED = os.environ.get("FES_ENDS_SEED", "1")
EARLY = 0.3
IMPORTED_S = 2.0
"""Modules are imported, and the first broker is started, within that."""

LAST_S = 12.0
"""A command that never comes so far as the moment is ended after that."""

ROOT = Path(__file__).parents[3]

PLAIN = """
version: 1
system: ends
brokers: {left: {kind: nats}, right: {kind: nats}}
event_services:
  cns-l: {kind: cns, brokers: [left], settings: {channel: west}}
  siena-r: {kind: siena, brokers: [right], settings: {index: FES_Subject}}
gateways: {g: {adapters: {cns-l: {}, siena-r: {}}}}
applications:
  shell: {command: [sh, -c, "sleep 600 & wait"]}
"""
PAIR = str(ROOT / "scenarios/persistent/pair.yaml")

DEMO = ("--vehicles", "2", "--duration", "600", "--speedup", "1")

COMMANDS: dict[str, tuple[str, ...]] = {
    "fes run": ("fes.cli.main", "run", "plain.yaml"),
    "fes-traffic demo": ("traffic_scenario", "demo", "--runs", "runs", *DEMO),
    "make demo": (
        *("make", "--no-print-directory", "-C", str(ROOT), "demo", "RUNS=FOLDER/runs"),
        *("VEHICLES=2", "DURATION=600", "SPEEDUP=1"),
    ),
    "fes-persistent": ("persistent_scenario", "run", "--runs", "runs", "--federation", PAIR),
    "fes-traffic-control-events": ("traffic_control_events", "demo", "--runs", "runs"),
    "fes-event-domain": ("event_domain_scenario", "--runs", "runs", "--events", "9000"),
    "fes-active-badge": ("active_badge", "--runs", "runs"),
    "fes-stock-market": ("stock_market", "demo", "--runs", "runs"),
    "fes-building-walk": ("building_walk", "demo", "--runs", "runs"),
}
"""All that start parts. Each runs longer than most moments at which it is ended."""

FIRST = "fes run"
"""It is in all the others, and is ended at more moments."""

FEW: dict[str, tuple[str, ...]] = {
    "fes run": WAYS,
    "fes-traffic demo": ("SIGINT", "SIGKILL", "terminal"),
    "make demo": ("SIGTERM", "SIGKILL"),
    "fes-active-badge": ("SIGKILL", "pipe", "twice"),
}
"""How CI ends each of them; others by the two that leave the least time to clean up."""

CASES = [
    (name, way)
    for name in COMMANDS
    for way in (WAYS if MOMENTS > 2 else FEW.get(name, ("SIGKILL", "twice")))
]

ENDED = {
    "pipe": (141, 143, -13),
    "terminal": (129, 130, 141, 143, -1),
    "SIGKILL": (-9,),
    "SIGINT": (130, -2),
    "SIGTERM": (130, 143, -15),
    "SIGHUP": (129, 130, -1),
    "errors": (130, 143, -15),
    "Ctrl-C": (130, -2),
    "twice": (130, -2),
}
"""Exit statuses; negative for a signal that came before Python had read the command's modules."""


def started(name: str, folder: Path, *, at_a_terminal: bool) -> Command:
    (folder / "plain.yaml").write_text(PLAIN)
    words = [word.replace("FOLDER", str(folder)) for word in COMMANDS[name]]
    return Command(words, folder, at_a_terminal)


def moment(command: Command, chance: random.Random) -> Callable[[], bool]:
    """Return a moment by chance: so many seconds after the start, or so far in the work."""
    if chance.random() < EARLY:
        due_s = time.monotonic() + chance.uniform(0.0, IMPORTED_S)
        return lambda: time.monotonic() >= due_s
    wanted = chance.choice((chance.randint(1, 9), chance.randint(1, 40)))
    until_s = time.monotonic() + LAST_S
    return lambda: len(command.left()) + command.lines >= wanted or time.monotonic() > until_s


@pytest.mark.timeout(0 if MOMENTS > 2 else 300)
@pytest.mark.parametrize(("name", "way"), CASES)
async def test_however_a_command_ends_nothing_of_it_is_left(
    name: str, way: str, tmp_path: Path
) -> None:
    chance = random.Random(f"{SEED} {name} {way}")
    often = MOMENTS if name == FIRST or MOMENTS > 2 else 1
    for number in range(often):
        folder = tmp_path / str(number)
        folder.mkdir()
        with closing(started(name, folder, at_a_terminal=way in AT_A_TERMINAL)) as command:
            await at_moment(command, moment(command, chance))
            if command.process.poll() is not None:  # it was over before that moment
                continue
            ports, begun, at = command.ports(), command.lines > 0, len(command.left())
            told = await command.end(way)
            await nothing_left(command, ports)
            status = command.process.returncode
            log.info("%s, %s: %d processes, %d ports, status %s", name, way, at, len(ports), status)
            if begun:  # before that, Python reads its modules, and tells of an interrupt itself
                assert "Traceback" not in told, told
            if begun or way != "Ctrl-C":
                assert status in accepted(name, way), told


def accepted(name: str, way: str) -> tuple[int, ...]:
    """Return the exit statuses of a command that was ended; `make` replaces them by its own."""
    return (*ENDED[way], 2, -13) if name.startswith("make") else ENDED[way]


@pytest.mark.spark
@pytest.mark.parametrize("way", WAYS if MOMENTS > 2 else ("SIGKILL", "twice"))
async def test_a_demonstration_that_ends_while_spark_judges_leaves_nothing(
    way: str, tmp_path: Path
) -> None:
    words = ("traffic_scenario", "demo", "--runs", "runs", "--vehicles", "1", "--duration", "5")
    with closing(Command(words, tmp_path, way in AT_A_TERMINAL)) as command:
        await eventually(lambda: "judging" in command.said, within_s=120, what=command.said)
        await at_moment(command, lambda: any("java" in each for each in command.left().values()))
        assert command.process.poll() is None
        await asyncio.sleep(random.uniform(0.0, 3.0))
        told = await command.end(way)
        await nothing_left(command, command.ports())
        assert "Traceback" not in told


SURVIVOR = """
import os, subprocess, sys, tempfile
code = "import socket, time; s = socket.create_server(('127.0.0.1', 0)); time.sleep(600)"
subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
tempfile.mkstemp()
print("begun", flush=True)
sys.stdin.read() or os.read(os.pipe()[0], 1)
"""


async def test_what_a_command_leaves_is_found(tmp_path: Path) -> None:
    """The process, its port and its file, each by its own search."""
    (tmp_path / "survivor.py").write_text(SURVIVOR)
    with closing(Command(("survivor",), tmp_path)) as command:
        await at_moment(command, lambda: len(command.ports()) == 1)
        ports = command.ports()
        await command.end("SIGTERM")
        with pytest.raises(AssertionError, match="not within"):
            await nothing_left(command, ports, within_s=0.5)
        assert not any(map(is_free, ports))
        command.close()
        await eventually(lambda: all(map(is_free, ports)))
        assert len(unwanted(tmp_path)) == 1


async def test_a_run_of_which_all_parts_work_is_ended_whole(tmp_path: Path) -> None:
    """Brokers, gateway and an application's own child are there: chance may miss that moment."""
    for way in ("SIGHUP", "SIGKILL", "pipe"):
        folder = tmp_path / way
        folder.mkdir()
        with closing(started("fes run", folder, at_a_terminal=False)) as command:
            await at_moment(command, lambda: "application: shell" in command.said)
            assert len(command.left()) >= 6, command.said
            ports = command.ports()
            assert len(ports) >= 4
            await command.end(way)
            await nothing_left(command, ports)


async def test_a_run_under_nohup_goes_on_without_its_terminal(tmp_path: Path) -> None:
    (tmp_path / "plain.yaml").write_text(PLAIN)
    ignoring = (
        "import signal, runpy, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN);"
        " sys.argv = ['fes', 'run', 'plain.yaml'];"
        " runpy.run_module('fes.cli.main', run_name='__main__')"
    )
    (tmp_path / "ignoring.py").write_text(ignoring)
    with closing(Command(("ignoring",), tmp_path, at_a_terminal=True)) as command:
        await at_moment(command, lambda: "gateways: 1" in command.said)
        before = set(command.left())
        os.close(command._ours)
        command._ours = -1
        endpoints = tmp_path / "runs/latest/endpoints.json"
        await at_moment(command, lambda: "shell" in endpoints.read_text())
        assert before <= set(command.left())
        await command.end("SIGTERM")
        await nothing_left(command, set())
