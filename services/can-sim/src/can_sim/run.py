"""`can-sim run`: a run's trace, played on the vehicles' buses."""

import argparse
import asyncio
from collections.abc import Iterator, Sequence

from eventservices.credentials import read_password, with_credentials
from eventservices.ending import beside
from eventservices.errors import RefusedError
from serving.clocks import wall_us
from serving.ending import ending_event

from can_sim.bus import GuardedBus
from can_sim.buses import read_buses
from can_sim.clock import TraceClock
from can_sim.cns_bus import REFUSED, CnsBus, Naming
from can_sim.cosmic_bus import CosmicBus
from can_sim.errors import BusError, InputError
from can_sim.groundtruth import GroundTruth
from can_sim.play import Played, Player
from can_sim.progress import shown
from can_sim.runclock import apply_clock
from can_sim.runfolder import GROUND_TRUTH, Extent, read_trace, survey
from can_sim.schedule import Due, at_rate, by_clock, rest_of

GRACE_S = 2.0
"""How long a clock that runs already waits for the broker at the start; less than makes late."""


async def run(options: argparse.Namespace) -> dict[str, object]:
    """Play a run to its end, or until it is requested to end.

    Args:
        options: Of the command line.

    Returns:
        A summary, for people and scripts.

    Raises:
        InputError: The run folder is not valid.
        BusError: The broker does not answer, where the clock has not begun already.
    """
    apply_clock(options)
    extent = survey(options.run)
    stopping = ending_event()
    async with _bus(options, extent.vehicles) as bus:
        await _begin(bus, options, stopping)
        begun_us = wall_us()
        played = await _play(options, extent, GuardedBus(bus), stopping)
    return _summary(played, extent, wall_us() - begun_us, stopped=stopping.is_set())


def _bus(options: argparse.Namespace, vehicles: Sequence[str]) -> CnsBus | CosmicBus:
    """Return the vehicles' buses, not yet open.

    Raises:
        InputError: `buses.csv` or the password file is not valid.
    """
    if options.bus == "cosmic":
        return CosmicBus(read_buses(options.run, vehicles), options.home_template)
    naming = Naming(options.channel_template, options.home_template)
    return CnsBus(_addresses(options), vehicles, naming)


def _addresses(options: argparse.Namespace) -> list[str]:
    """Return where the servers listen, with the name and the password that they request.

    Raises:
        InputError: The password file contains no password.
    """
    try:
        password = read_password(options.password_file) if options.password_file else ""
    except RefusedError as error:
        raise InputError(str(error)) from error
    return [with_credentials(url, options.user, password) for url in options.url.split(",")]


async def _begin(
    bus: CnsBus | CosmicBus, options: argparse.Namespace, stopping: asyncio.Event
) -> None:
    """Return when the buses are open, or the clock cannot wait for them, or told to stop."""
    running = options.clock_start_wall_us is not None
    timeout_s = GRACE_S if running else options.connect_timeout
    async with (
        beside(bus.connected(timeout_s), "opening") as opening,
        beside(stopping.wait(), "stopping") as stopped,
    ):
        await asyncio.wait((opening, stopped), return_when=asyncio.FIRST_COMPLETED)
    if stopping.is_set():
        return
    try:
        opening.result()
    except BusError as error:
        if not running or error.reason == REFUSED:
            raise


async def _play(
    options: argparse.Namespace, extent: Extent, bus: GuardedBus, stopping: asyncio.Event
) -> Played:
    wall_start_us = options.clock_start_wall_us
    wall_start_us = wall_us() if wall_start_us is None else wall_start_us
    start_us = extent.start_us if options.clock_start_us is None else options.clock_start_us
    clock = TraceClock(start_us, wall_start_us, options.speedup)
    total = extent.rows if options.rate is None else options.frames or extent.rows
    path = options.ground_truth or options.run / GROUND_TRUTH
    with GroundTruth(path, wall_start_us) as truth, shown(total) as on_frame:
        schedule = _schedule(options, clock, total, truth.last)
        return await Player(bus, truth, stopping, on_frame=on_frame).play(schedule)


def _schedule(
    options: argparse.Namespace, clock: TraceClock, total: int, last: tuple[int, str] | None
) -> Iterator[Due]:
    rows = read_trace(options.run)
    if options.rate is None:
        return by_clock(rest_of(rows, last), clock)
    return at_rate(rows, total, options.rate, wall_us())


def _summary(played: Played, extent: Extent, wall_us: int, *, stopped: bool) -> dict[str, object]:
    return {
        "frames": played.frames,
        "sent": played.sent,
        "saturated": played.saturated,
        "skipped": dict(sorted(played.skipped.items())),
        "vehicles": len(extent.vehicles),
        "wall_s": round(wall_us / 1e6, 3),
        "latest_ms": round(played.latest_us / 1e3, 1),
        "stopped": stopped,
    }
