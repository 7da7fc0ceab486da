"""Event mappings on the edges of scopes: from one event to any number of events.

Source:
    Fiege et al., Engineering Event-Based Systems with Scopes, section 3.4.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final, Protocol

from fes.errors import FesError
from fes.filter import Filter
from fes.model import Event
from fes.model.event import check_event

Step = Callable[[Event], tuple[Event, ...]]
"""One stateless step of a mapping; no event where it blocks. What it cannot map it may raise
`UNMAPPABLE` for: then the event is blocked."""

MADE: Final = 1000
"""Most events that a mapping makes of one, or a plug-in; what would become more is blocked."""

UNMAPPABLE = (FesError, ValueError, TypeError, ArithmeticError)
"""What is raised where an event has not the parameters that a mapping needs."""


class Gathering(Protocol):
    """The state of mappings that make one event of several."""

    def gather(self, place: str, rule: "Gather", event: Event) -> tuple[Event, ...]:
        """Add an event to those gathered at a place; return what they make, if anything."""
        ...


@dataclass(frozen=True, slots=True)
class Gather:
    """Several events become one.

    Attributes:
        count: How many events make one.
        key: Parameter whose value separates them; empty for one group.
        groups: Most groups that are incomplete at a time; the oldest goes first, counted.
        subject: Subject of what is made; empty for that of the last event.
        results: Parameter of what is made: how (`sum`, `mean`, `min`, `max`, `first`, `last`,
            `count`) and of which parameter.
    """

    count: int
    key: str = ""
    groups: int = 1000
    subject: str = ""
    results: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """What becomes of the events that a filter accepts.

    Attributes:
        when: Which events; all where None.
        steps: Applied in their order, each to all events that the step before made.
    """

    when: Filter | None
    steps: tuple[Step | Gather, ...]


@dataclass(frozen=True, slots=True)
class Mapping:
    """Rules of which the first that accepts an event maps it; other events pass unchanged.

    Attributes:
        rules: In their order.
        otherwise_blocks: Whether what no rule accepts is blocked.
    """

    rules: tuple[Rule, ...] = ()
    otherwise_blocks: bool = False

    def __bool__(self) -> bool:
        """Return whether there is anything to map."""
        return bool(self.rules) or self.otherwise_blocks

    def apply(self, event: Event, place: str, gathering: Gathering | None) -> tuple[Event, ...]:
        """Return what an event becomes; nothing where it is blocked.

        Args:
            event: The event.
            place: Names the edge and direction, for what is gathered.
            gathering: The state of what is gathered; None to look ahead without changing it: a
                rule that gathers then passes the event on.
        """
        for at, rule in enumerate(self.rules):
            if rule.when is None or rule.when.matches(event):
                return _run(rule, event, f"{place}#{at}", gathering)
        return () if self.otherwise_blocks else (event,)


NO_MAPPING = Mapping()


def _run(rule: Rule, event: Event, place: str, gathering: Gathering | None) -> tuple[Event, ...]:
    events: tuple[Event, ...] = (event,)
    for at, step in enumerate(rule.steps):
        if not isinstance(step, Gather):
            events = _all_made(step, events)
        elif gathering is not None:
            events = _all_made(partial(gathering.gather, f"{place}.{at}", step), events)
        if not events:
            break
    return events


def _all_made(step: Step, events: tuple[Event, ...]) -> tuple[Event, ...]:
    found = tuple(islice((made for each in events for made in _made(step, each)), MADE + 1))
    return found if len(found) <= MADE else ()


def _made(step: Step, event: Event) -> tuple[Event, ...]:
    """Return what a step makes of an event; nothing where any of it is not a valid event."""
    try:
        return tuple(each if each is event else check_event(each) for each in step(event))
    except UNMAPPABLE:
        return ()
