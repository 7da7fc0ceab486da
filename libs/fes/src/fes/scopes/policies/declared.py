"""Transmission policies as an administrator declares them.

Source:
    Fiege et al., Engineering Event-Based Systems with Scopes, section 3.5.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from fes.filter import Filter
from fes.model import Event

MAX_DELAY_US = 7 * 86_400_000_000
"""Longest delay of a publishing policy: a week."""

MAX_WAITING = 100_000
"""Most events that a publishing policy may keep waiting."""

Chooser = Callable[[Event, Sequence[str]], str]
"""A plug-in: returns one of the members that could receive an event, in declaration order.

It must not keep its arguments. It is called in the turn of the gateway that manages, so that it
must neither wait nor compute for long, and keeps no state that a restart may lose.
"""


class Turn(StrEnum):
    """How one of several members is chosen."""

    ALL = "all"
    TURNS = "turns"
    HASH = "hash"
    LOAD = "load"
    STICKY = "sticky"
    PLUGIN = "plugin"


class Traverse(StrEnum):
    """Where receivers are searched first."""

    BROADCAST = "broadcast"
    TOP_DOWN = "top-down"
    BOTTOM_UP = "bottom-up"


BROADCAST = Traverse.BROADCAST


class Overflow(StrEnum):
    """What a full queue drops."""

    OLDEST = "drop-oldest"
    NEWEST = "drop-newest"


@dataclass(frozen=True, slots=True)
class Delivery:
    """Which of the members that could receive an event do.

    Attributes:
        turn: All of them, or how the one is chosen.
        key: Parameter that `hash` and `sticky` look at; empty for the subject.
        plugin: Name of the entry point that chooses, with `plugin`.
        chooser: What is installed there.
    """

    turn: Turn = Turn.ALL
    key: str = ""
    plugin: str = ""
    chooser: Chooser | None = field(default=None, compare=False)


TO_ALL = Delivery()


@dataclass(frozen=True, slots=True)
class Publishing:
    """When, and into which direct superscopes, the events of a scope go.

    Attributes:
        choose: By direct superscope, which events go there; a superscope without a filter receives
            all. The filter sees the event as its mapping left it.
        delay_us: How long events wait, federation clock; 0 is not at all.
        which: Which events wait; all where None.
        until: Events wait until the scope sees an event that this filter accepts.
        waiting: Most events that wait.
        overflow: What goes when more would wait; each is counted.
        drop_at_end: Whether the end of the scope drops what waits, instead of releasing it.
    """

    choose: Mapping[str, Filter] = field(default_factory=dict)
    delay_us: int = 0
    which: Filter | None = None
    until: Filter | None = None
    waiting: int = 1000
    overflow: Overflow = Overflow.OLDEST
    drop_at_end: bool = False

    @property
    def holds_back(self) -> bool:
        """Whether events may wait."""
        return self.delay_us > 0 or self.until is not None
