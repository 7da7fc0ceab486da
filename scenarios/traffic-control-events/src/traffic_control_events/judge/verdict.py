"""The verdict: who should have received what, and who did."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from traffic_control_events.judge.declared import expected, read_declared
from traffic_control_events.judge.errors import UnjudgedError
from traffic_control_events.judge.ground import Ground, read_ground
from traffic_control_events.judge.reach import Reach
from traffic_control_events.judge.records import Copy, Line, read_lines
from traffic_control_events.judge.rows import Due, Row, compare, compare_sets
from traffic_control_events.story import (
    BUS,
    CITY,
    HEARD,
    LIMIT_MPH,
    SEEN_AIR,
    SEEN_CITY,
    SENDER,
    SPEED,
    SUPPRESSED,
)

SPEAKER = f"g1.{SENDER}"
"""The node that speaks for the vehicle."""

WAY = f"{BUS},{SENDER}"
"""The event services that an event passes before the city's."""


@dataclass(frozen=True, slots=True)
class Step:
    """One second of the drive, as it came out.

    Attributes:
        said: What the vehicle published.
        hearing: The monitors in range; none where it was not on the air.
        on_air: Whether it crossed the air.
        in_city: Whether it surfaced in the city.
        reported: Whether the subscriber got it.
    """

    said: Copy
    hearing: frozenset[str]
    on_air: bool
    in_city: bool
    reported: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came out of a run.

    Attributes:
        rows: Client by client.
        journey: Second by second.
    """

    rows: tuple[Row, ...]
    journey: tuple[Step, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong anywhere."""
        return all(row.passed for row in self.rows)


def judge(folder: Path) -> Verdict:
    """Judge a run.

    Args:
        folder: The run folder.

    Raises:
        UnjudgedError: A file cannot be read, or there is nothing to judge: the vehicle was never
            too fast in range, never slow in range, or never too fast out of range.
    """
    ground = read_ground(folder)
    on_air = read_lines(folder / SEEN_AIR, Copy.of_air)
    in_city = read_lines(folder / SEEN_CITY, Copy.of_city)
    reported = read_lines(folder / HEARD, Copy.of_city)
    crossed = [copy for copy in on_air if copy.meant_for]
    speeds = {id_: copy for id_, copy in ground.said.items() if copy.subject == SPEED}
    reach = Reach.of(ground, crossed)
    due = reach.due(speeds)
    fast = frozenset(id_ for id_, copy in speeds.items() if copy.rate_mph > LIMIT_MPH)
    _check_worth(ground, reach, speeds)
    about, said = f"{SPEED}, rate > {LIMIT_MPH:g}", ground.said
    rows = (
        _said(ground),
        _air(said, speeds, on_air),
        compare("city", "all that surfaces", in_city, due, said, _strayed),
        compare("siena-sub", about, reported, due.only(fast), said, _strayed),
        _repetitions(folder, reach),
        compare_sets("witness", "native requests", expected(reach.speaking), read_declared(folder)),
    )
    return Verdict(rows, _journey(speeds, reach, (crossed, in_city, reported)))


def _check_worth(ground: Ground, reach: Reach, speeds: Mapping[str, Copy]) -> None:
    seen = {
        (bool(reach.certain.get(id_, ground.hearing(copy.time_us, 0.0))), copy.rate_mph > LIMIT_MPH)
        for id_, copy in speeds.items()
    }
    for wanted, words in (
        ((True, True), "in range of a monitor and too fast"),
        ((True, False), "in range of a monitor and not too fast"),
        ((False, True), "out of range and too fast"),
    ):
        if wanted not in seen:
            raise UnjudgedError(f"there is nothing to judge: the vehicle was never {words}")


def _said(ground: Ground) -> Row:
    said = Counter((copy.time_us, copy.subject) for copy in ground.said.values())
    planned = Counter(ground.planned)
    faults = {"missing": _names(planned - said), "unexpected": _names(said - planned)}
    about = "publishes what it shall"
    return Row("cns-pub", about, planned.total(), (said & planned).total(), faults)


def _names(counted: Counter[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(f"{subject} at {time_us}" for time_us, subject in counted.elements())


def _air(said: Mapping[str, Copy], speeds: Mapping[str, Copy], on_air: Sequence[Copy]) -> Row:
    every = frozenset(speeds)
    crossed = [copy for copy in on_air if copy.meant_for]
    row = compare("air", "Speed in control events", crossed, Due(every, every), said, _misled)
    native = tuple(f"{copy.id} natively" for copy in on_air if not copy.meant_for)
    faults = {**row.faults, "unexpected": (*row.faults["unexpected"], *native)}
    return Row(row.client, row.about, row.expected, row.received, faults)


def _misled(copy: Copy) -> bool:
    """Return whether a control event comes from somebody else, or is meant for somewhere else."""
    return (copy.way, copy.meant_for) != (SPEAKER, CITY)


def _strayed(copy: Copy) -> bool:
    """Return whether an event came into the city by another route than the air."""
    return copy.way != WAY


def _repetitions(folder: Path, reach: Reach) -> Row:
    """Return what became of events that several monitors received: each publishes them."""
    counts = read_lines(folder / SEEN_CITY, _suppressed)
    if len(counts) != 1:
        raise UnjudgedError(f"{folder / SEEN_CITY}: does not state what was suppressed")
    (count,), (least, most) = counts, reach.second_copies()
    faults = {
        "missing": (f"{least - count} copies",) * (count < least),
        "unexpected": (f"{count - most} copies",) * (count > most),
    }
    return Row("repeated", "copies of a second monitor", least, count, faults)


def _suppressed(line: Line) -> int | None:
    return int(line["count"]) if line["type"] == SUPPRESSED else None


def _journey(
    speeds: Mapping[str, Copy], reach: Reach, heard: tuple[Sequence[Copy], ...]
) -> tuple[Step, ...]:
    crossed, in_city, reported = ({copy.id for copy in copies} for copies in heard)
    return tuple(
        Step(
            said,
            reach.certain.get(id_, frozenset()),
            on_air=id_ in crossed,
            in_city=id_ in in_city,
            reported=id_ in reported,
        )
        for id_, said in speeds.items()
    )
