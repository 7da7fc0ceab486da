"""However a command ends, nothing of it is left: no process, no port, no temporary file.

`FES_ENDS=20` has each way tried at so many moments; CI tries a few.
"""

import os
import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from support.processes.ending import WAYS, Command, at_moment, nothing_left

MOMENTS = int(os.environ.get("FES_ENDS", "2"))
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

COMMANDS: dict[str, tuple[str, ...]] = {
    "fes run": ("fes.cli.main", "run", "plain.yaml"),
    "fes-traffic demo": (
        *("traffic_scenario", "demo", "--runs", "runs"),
        *("--vehicles", "2", "--duration", "600", "--speedup", "1"),
    ),
    "fes-persistent": ("persistent_scenario", "run", "--runs", "runs", "--federation", "FILE"),
    "fes-traffic-control-events": ("traffic_control_events", "demo", "--runs", "runs"),
}
"""Each runs longer than any moment at which it is ended."""

ENDED = {"pipe": (141, 143, -13), "terminal": (129, 130, 141, 143), "SIGKILL": (-9,)}


def started(name: str, folder: Path, *, at_a_terminal: bool) -> Command:
    (folder / "plain.yaml").write_text(PLAIN)
    chain = str(ROOT / "scenarios/persistent/pair.yaml")
    words = [chain if word == "FILE" else word for word in COMMANDS[name]]
    return Command(words, folder, at_a_terminal)


def moments(command: Command, number: int) -> Callable[[], bool]:
    """Return a moment: a number of processes that it has reached, by chance."""
    wanted = random.Random(number).randint(1, 9)
    return lambda: len(command.left()) + command.lines >= wanted


@pytest.mark.timeout(0 if MOMENTS > 2 else 300)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", COMMANDS)
async def test_however_a_command_ends_nothing_of_it_is_left(
    name: str, way: str, tmp_path: Path
) -> None:
    for number in range(MOMENTS if name == "fes run" or MOMENTS > 2 else 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        with closing(started(name, folder, at_a_terminal=way == "terminal")) as command:
            await at_moment(command, moments(command, number * 31 + WAYS.index(way)))
            ports, begun = command.ports(), command.lines > 0
            told = await command.end(way)
            await nothing_left(command, ports)
            if begun:  # before that, Python reads its modules, and tells of an interrupt itself
                assert "Traceback" not in told, told
                assert command.process.returncode in ENDED.get(way, (129, 130, 143)), told


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
