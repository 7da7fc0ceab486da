"""From the event to one of its components."""

from collections.abc import Callable
from typing import Any

from eventservices.cns.etcl.access import Walk, member, named, walker
from eventservices.cns.etcl.errors import EvaluationError
from eventservices.cns.etcl.records import FIELDS, Properties, unwrap
from eventservices.cns.etcl.tree import Component, Member
from eventservices.cns.etcl.utc import utc
from eventservices.cns.event import FixedEventHeader, StructuredEvent

_MISSING = object()


class Scope:
    """What one evaluation sees: the event, and one time throughout.

    Args:
        event: An event of any form, or the value of an Any.
        clock: Ticks since 1582-10-15 UTC.
    """

    __slots__ = ("_clock", "_now", "event")

    def __init__(self, event: Any, clock: Callable[[], int]) -> None:
        self.event = unwrap(event)
        self._clock = clock
        self._now: int | None = None

    @property
    def now(self) -> int:
        """The time, in ticks; the same for the whole evaluation."""
        if self._now is None:
            self._now = self._clock()
        return self._now


def route(component: Component, *, exact: bool = False) -> Callable[[Scope], Any]:
    """Return a function that finds a component.

    Args:
        component: Which one.
        exact: Whether a union's label must be the discriminator itself, as `exist` requires.
    """
    start, steps = _start(component)
    walks = [walker(step, exact=exact) for step in steps]
    return _walk(start, walks) if walks else start


def _walk(start: Callable[[Scope], Any], walks: list[Walk]) -> Callable[[Scope], Any]:
    def run(scope: Scope) -> Any:
        value = start(scope)
        for walk in walks:
            value = walk(value)
        return value

    return run


def _start(component: Component) -> tuple[Callable[[Scope], Any], tuple[Any, ...]]:
    name, steps = component.variable, component.steps
    if name == "curtime":
        return (lambda scope: utc(scope.now)), steps
    if name is not None:
        return (lambda scope: variable(scope.event, name)), steps
    if steps and isinstance(steps[0], Member):  # of a name/value list, `$.name` is that entry
        first = steps[0].name
        return (lambda scope: _of_value(scope.event, first)), steps[1:]
    return (lambda scope: scope.event), steps


def variable(event: Any, name: str) -> Any:
    """Return the value of a run-time variable.

    In this order: a simple member of the fixed header, an optional header field, an entry of the
    filterable data, a member of the event; at last the whole of `event_type`, `fixed_header` and
    `variable_header`.

    Raises:
        EvaluationError: The event has nothing of that name.
    """
    if not isinstance(event, StructuredEvent):
        return _of_value(event, name)
    if name in _SIMPLE:
        return _SIMPLE[name](event.header.fixed_header)
    for properties in (event.header.variable_header, event.filterable_data):
        found = properties.get(name, _MISSING)
        if found is not _MISSING:
            return found
    for record in (event, event.header, event.header.fixed_header):
        if name in FIELDS[type(record)]:
            return member(record, name)
    raise EvaluationError(f"there is no {name}")


_SIMPLE: dict[str, Callable[[FixedEventHeader], str]] = {
    "domain_name": lambda fixed: fixed.event_type[0],
    "type_name": lambda fixed: fixed.event_type[1],
    "event_name": lambda fixed: fixed.event_name,
}


def _of_value(value: Any, name: str) -> Any:
    if isinstance(value, list | tuple | Properties) and type(value) not in FIELDS:
        return named(value, name)
    return member(value, name)
