"""The state: all that the judge remembers from one batch to the next, but for the lines."""

from dataclasses import dataclass, field
from typing import Final

import msgspec

from analytics.inputs.files import Files
from analytics.inputs.log_files import LogSummary
from analytics.live.kept.control import Control
from analytics.traffic.found import Findings
from analytics.traffic.job import Offender
from analytics.traffic.tally import Tally

STATE: Final = "state"


class Window(msgspec.Struct):
    """The events that were first seen in one batch.

    Attributes:
        events: How many there are.
        first_us: Wall clock of the first line about one of them.
        last_us: Of the last.
        batches: In which lines about them came.
        judged: The batch in which they were judged last; 0 if never.
        stale: Lines came since, or something changed by which they are judged.
        found: What was found then.
    """

    events: int
    first_us: int
    last_us: int
    batches: list[int]
    judged: int = 0
    stale: bool = True
    found: Findings = {}


class Delivery(msgspec.Struct, frozen=True):
    """A delivery that those to come must be held against."""

    offset: int
    wall_us: int
    id: str
    monitor: str
    path: list[str]


class Caught(msgspec.Struct, frozen=True):
    """An offender, and the window that it belongs to."""

    window: int
    offender: Offender


@dataclass(slots=True)
class State:
    """What the judge remembers.

    Attributes:
        number: Of the last batch that is in it.
        summary: Of all lines.
        broken: The first broken lines of each kind of log: file and line.
        windows: Those that are kept, by number.
        tally: Of all windows as they were judged last, those that were abandoned too.
        given_up: What was found in windows that were abandoned.
        highest: For each origin and epoch, the highest sequence that was abandoned.
        ordered: What was found about the order of deliveries.
        newest: The deliveries that those to come must be held against.
        control: The lines that all windows are judged by.
        offenders: Those that were caught last.
        lines: How many were read.
        unreadable: How many of them are broken.
        too_late: How many were about events that had been abandoned.
    """

    number: int = 0
    summary: LogSummary = field(default_factory=LogSummary.empty)
    broken: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    windows: dict[int, Window] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    given_up: Findings = field(default_factory=dict)
    highest: dict[str, int] = field(default_factory=dict)
    ordered: Findings = field(default_factory=dict)
    newest: list[Delivery] = field(default_factory=list)
    control: Control = field(default_factory=Control)
    offenders: list[Caught] = field(default_factory=list)
    lines: int = 0
    unreadable: int = 0
    too_late: int = 0

    @property
    def stale(self) -> list[int]:
        """The windows that must be judged, oldest first."""
        return sorted(number for number, one in self.windows.items() if one.stale)


def load(files: Files) -> State:
    """Return the state that was kept last; a new one if there is none."""
    names = files.sizes(STATE)
    if not names:
        return State()
    return msgspec.json.decode(files.read(f"{STATE}/{max(names)}"), type=State)


def save(files: Files, state: State) -> None:
    """Keep a state, and remove those before it: this is what makes a batch count."""
    files.write(_path(state.number), msgspec.json.encode(state))
    for name in files.sizes(STATE):
        if name < _name(state.number):
            files.remove(f"{STATE}/{name}")


def _name(number: int) -> str:
    return f"{number:08d}.json"


def _path(number: int) -> str:
    return f"{STATE}/{_name(number)}"
