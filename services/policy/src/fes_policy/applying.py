"""When rules apply: in which contexts, to which users and events.

Cedar tries a rule alone, and of users, events and contexts only those that the rule distinguishes:
by the groups and domains that it names, and by what of the context it reads. So the cost is one
rule's, times the number of rules, however many users there are.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress, islice, product
from typing import Any, Final

from fes_policy.building import Building, event_entities, user_entity
from fes_policy.engine import request_of
from fes_policy.rules import Rule, Uid

MOST_CONTEXTS: Final = 10_000
"""Most combinations of a device, a place and a time that are tried."""

MINUTES: Final = (0, 8 * 60, 12 * 60, 17 * 60, 23 * 60 + 59)
DAYS: Final = (1, 6)
READ: Final = (("device",), ("place", "places"), ("minute",), ("weekday",))


@dataclass(frozen=True, slots=True)
class Part:
    """A user or an event.

    Attributes:
        name: Its name.
        entities: As Cedar gets it.
        uids: Of itself and of the groups or domains that it is in.
    """

    name: str
    entities: list[dict[str, Any]]
    uids: frozenset[Uid]

    @classmethod
    def of(cls, name: str, entities: list[dict[str, Any]]) -> "Part":
        """Return a part by its entities."""
        uids = [uid for each in entities for uid in (each["uid"], *each["parents"])]
        return cls(name, entities, frozenset((each["type"], each["id"]) for each in uids))

    def is_in(self, scope: Uid | None) -> bool:
        """Return whether it is that, or in it; all are in None."""
        return scope is None or scope in self.uids


def parts(building: Building, named: frozenset[Uid]) -> tuple[list[Part], list[Part]]:
    """Return users and events, one each of those that rules which name these cannot distinguish."""
    users = (Part.of(name, [user_entity(building, name)]) for name in building.users)
    events = (Part.of(name, event_entities(name)) for name in building.events)
    return _distinct(users, named), _distinct(events, named)


def _distinct(found: Iterable[Part], named: frozenset[Uid]) -> list[Part]:
    return list({each.uids & named: each for each in found}.values())


class Contexts:
    """The contexts that are tried, each a bit of a set: devices, places and some times.

    Args:
        building: Whose devices and places these are.

    Attributes:
        complete: Whether there are no more than `MOST_CONTEXTS`.
    """

    def __init__(self, building: Building) -> None:
        all_ = product(building.devices, (None, *building.places), MINUTES, DAYS)
        self._values = list(islice(all_, MOST_CONTEXTS))
        self.complete = next(all_, None) is None
        self._texts = [_context(building, *each) for each in self._values]
        self._kinds: dict[tuple[bool, ...], list[tuple[str, int]]] = {}

    def kinds(self, rule: Rule) -> list[tuple[str, int]]:
        """Return one of each kind of contexts that a rule distinguishes, and all of the kind."""
        reads = tuple(rule.reads(*names) for names in READ)
        if reads not in self._kinds:
            found: dict[tuple[object, ...], tuple[str, int]] = {}
            for number, values in enumerate(self._values):
                key = tuple(compress(values, reads))
                text, kind = found.get(key, (self._texts[number], 0))
                found[key] = (text, kind | 1 << number)
            self._kinds[reads] = list(found.values())
        return self._kinds[reads]


def _context(building: Building, device: str, place: str | None, minute: int, weekday: int) -> str:
    context: dict[str, Any] = {"device": device, "bus": "", "minute": minute, "weekday": weekday}
    if place is not None:
        context |= {"place": place, "places": building.around(place)}
    return json.dumps(context)


class Applying:
    """Finds out when rules apply.

    Args:
        rules: Those.
        building: Of the contexts.
        most: Cases that are tried at most.

    Attributes:
        tried: Cases that were tried.
        faults: What of a rule Cedar could not evaluate, by the rule's name.
    """

    def __init__(self, rules: Sequence[Rule], building: Building, most: int) -> None:
        self.tried = 0
        self.faults: dict[str, str] = {}
        self._most = most
        self._uids = {each.id: each.uids() for each in rules}
        self._contexts = Contexts(building)
        self._found: dict[tuple[str, frozenset[Uid], frozenset[Uid]], int] = {}

    @property
    def complete(self) -> bool:
        """Whether all that was requested has been tried."""
        return self._contexts.complete and self.tried < self._most

    def contexts(self, rule: Rule, user: Part, event: Part) -> int:
        """Return the set of the contexts in which a rule applies to a user and an event."""
        uids = self._uids[rule.id]
        self.tried += 1
        key = (rule.id, user.uids & uids, event.uids & uids)
        if key not in self._found:
            self._found[key] = self._try(rule, user, event) if self.tried < self._most else 0
        return self._found[key]

    def _try(self, rule: Rule, user: Part, event: Part) -> int:
        kinds = self._contexts.kinds(rule)
        self.tried += len(kinds)
        requests = (request_of(user.name, event.name, text) for text, _ in kinds)
        found = 0
        entities = [*user.entities, *event.entities]
        for (_, kind), (applies, fault) in zip(kinds, rule.tried(requests, entities), strict=True):
            found |= kind if applies else 0
            if fault:
                self.faults.setdefault(rule.id, fault)
        return found
