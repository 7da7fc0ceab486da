"""`can-sim plan`: a run's trace and monitors, from any input."""

import argparse
from dataclasses import dataclass
from math import ceil

from can_sim import monitors as monitor_files
from can_sim.cutting import Cut, exactly, roughly
from can_sim.errors import InputError
from can_sim.monitors import Monitor
from can_sim.monitors_near import check_count
from can_sim.names import identifiers, licences
from can_sim.placing import place_monitors
from can_sim.rollover import mended
from can_sim.runfolder import write_monitors, write_trace
from can_sim.sample import Sample, Trace
from can_sim.sampling import normalise
from can_sim.settings import DEFAULT_DURATION_S, DEFAULT_VEHICLES
from can_sim.sources.choose import Inputs, read_trace
from can_sim.tally import Tally
from can_sim.town.fleet import drive

PLACED_RADIUS_M = 150.0


@dataclass(frozen=True, slots=True)
class Plan:
    """A run as planned.

    Attributes:
        samples: Once a second a vehicle, by time.
        licences: Licence by vehicle.
        identifiers: What represents each vehicle's name in the run.
        monitors: The places.
    """

    samples: list[Sample]
    licences: dict[str, str]
    identifiers: dict[str, str]
    monitors: list[Monitor]


def plan(options: argparse.Namespace, tally: Tally) -> Plan:
    """Return the run that the options request.

    Args:
        options: Of the command line.
        tally: Counts and notes what was left out.

    Raises:
        InputError: A file is not valid, or nothing is left to play.
    """
    trace = mended(_trace(options, tally), tally)
    if not trace.samples:
        reason = f"contains no sample with a time and a place; {tally.explain()}"
        raise InputError(reason, str(options.trace or ""))
    cut_off = Cut(options.duration, options.vehicles)
    samples = exactly(normalise(roughly(trace, cut_off), tally), cut_off)
    vehicles = list(dict.fromkeys(sample.vehicle for sample in samples))
    if options.monitors is not None:
        monitors = monitor_files.read(options.monitors, tally)
        check_count(monitors, samples, str(options.monitors))
    else:
        monitors = place_monitors(samples, options.monitor_count, PLACED_RADIUS_M)
    return Plan(samples, licences(vehicles), identifiers(vehicles, "vehicle"), monitors)


def command(options: argparse.Namespace) -> dict[str, object]:
    """Write the planned run into its folder.

    Returns:
        A summary, for people and scripts.

    Raises:
        InputError: As `plan`.
    """
    tally = Tally(strict=options.strict)
    planned = plan(options, tally)
    write_trace(options.out, planned.samples, planned.licences, planned.identifiers)
    write_monitors(options.out, planned.monitors)
    first, last = planned.samples[0], planned.samples[-1]
    return {
        "out": str(options.out),
        "vehicles": len(planned.licences),
        "samples": len(planned.samples),
        "monitors": len(planned.monitors),
        "start_us": first.time_us,
        "end_us": last.time_us,
        **tally.summary(),
    }


def _trace(options: argparse.Namespace, tally: Tally) -> Trace:
    if options.trace is None:
        if options.dbc or options.positions or options.signal:
            raise InputError("--dbc, --positions and --signal need a CAN log as --trace")
        duration_s = ceil(options.duration or DEFAULT_DURATION_S)
        return drive(options.vehicles or DEFAULT_VEHICLES, duration_s, options.seed)
    inputs = Inputs(
        options.trace, options.positions, options.dbc, options.signal, align=options.align
    )
    return read_trace(inputs, tally)
