"""Which frame is due when."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice

from can_sim.clock import TraceClock
from can_sim.runfolder import Planned

MAX_ROWS_KEPT = 200_000
"""Most rows of a trace that a benchmark goes round in."""


@dataclass(frozen=True, slots=True)
class Due:
    """A row and its moment.

    Attributes:
        row: What to tell.
        wall_us: When, microseconds since 1970 UTC; None for at once.
        live: Whether it loses its worth when it is late.
    """

    row: Planned
    wall_us: int | None
    live: bool = True


def by_clock(rows: Iterable[Planned], clock: TraceClock) -> Iterator[Due]:
    """Yield every row at its moment of the trace."""
    for row in rows:
        yield Due(row, clock.wall_us(row.time_us))


def at_rate(
    rows: Iterable[Planned], frames: int, per_second: float, wall_start_us: int
) -> Iterator[Due]:
    """Yield a number of rows at an even rate, the vehicles taking turns.

    Each vehicle goes through its own rows again and again. Rows keep the trace's times and places,
    so that who receives them stays true.

    Args:
        rows: A trace, of which the first `MAX_ROWS_KEPT` are used.
        frames: How many to yield in all.
        per_second: Frames a second in all; 0 for as fast as can be.
        wall_start_us: When the first is due.
    """
    turns = [cycle(own) for own in _by_vehicle(islice(rows, MAX_ROWS_KEPT)).values()]
    for index in range(frames if turns else 0):
        due = wall_start_us + round(index * 1e6 / per_second) if per_second else None
        yield Due(next(turns[index % len(turns)]), due, live=False)


def rest_of(rows: Iterable[Planned], last: tuple[int, str] | None) -> Iterator[Planned]:
    """Yield the rows after the one of that time and vehicle; all where `last` is None."""
    waiting = last is not None
    for row in rows:
        if waiting and last is not None:
            if row.time_us < last[0]:
                continue
            if row.time_us == last[0]:
                waiting = row.vehicle != last[1]
                continue
            waiting = False
        yield row


def _by_vehicle(rows: Iterable[Planned]) -> dict[str, list[Planned]]:
    vehicles: dict[str, list[Planned]] = {}
    for row in rows:
        vehicles.setdefault(row.vehicle, []).append(row)
    return vehicles
