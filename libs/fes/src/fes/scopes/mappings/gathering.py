"""Several events into one: what was gathered so far, bounded, as rows of the journal."""

from collections import OrderedDict
from collections.abc import Callable

from fes.model import Event
from fes.model.event import fields_of
from fes.scopes.mappings.mapping import Gather

_RESULTS: dict[str, Callable[[list[float]], float]] = {
    "sum": sum,
    "mean": lambda values: sum(values) / len(values),
    "min": min,
    "max": max,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
}

RESULTS = frozenset({*_RESULTS, "count"})
"""How a parameter of what is made may follow from those gathered."""

Group = tuple[str, str]
"""Place and key."""


class Gatherings:
    """Groups of events that are not complete.

    Args:
        changed: Called with the key and the value of each row of the journal that changed; None
            where the row went.
    """

    def __init__(self, changed: Callable[[str, object | None], None]) -> None:
        self._changed = changed
        self._groups: dict[str, OrderedDict[str, tuple[Event, ...]]] = {}
        self.dropped = 0

    def restore(self, key: str, events: tuple[Event, ...]) -> None:
        r"""Restore a row of the journal: `gathered/<place>\\0<key>`."""
        place, _, which = key.partition("/")[2].partition("\0")
        self._groups.setdefault(place, OrderedDict())[which] = events

    def gather(self, place: str, rule: Gather, event: Event) -> tuple[Event, ...]:
        """Add an event; return what its group makes once it is complete, else nothing."""
        groups = self._groups.setdefault(place, OrderedDict())
        value = event.parameter(rule.key) if rule.key else ""
        key = f"{type(value).__name__}:{value}"
        events = (*groups.pop(key, ()), event)
        if len(events) >= rule.count:
            self._changed(f"gathered/{place}\0{key}", None)
            return (_made(rule, events),)
        groups[key] = events
        self._changed(f"gathered/{place}\0{key}", events)
        if len(groups) > rule.groups:
            oldest, _ = groups.popitem(last=False)
            self.dropped += 1
            self._changed(f"gathered/{place}\0{oldest}", None)
        return ()


def _made(rule: Gather, events: tuple[Event, ...]) -> Event:
    last = events[-1]
    results: dict[str, object] = {}
    for name, how, of in rule.results:
        values = [v for v in (event.parameter(of) for event in events) if v is not None]
        if how == "count":
            results[name] = len(events)
        elif values:
            results[name] = _RESULTS[how](values)
    if rule.key and rule.key not in results and last.parameter(rule.key) is not None:
        results = {rule.key: last.parameter(rule.key), **results}
    fields = tuple(fields_of(results, "parameter"))
    return Event(rule.subject or last.subject, fields, last.attributes)
