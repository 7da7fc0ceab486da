"""Decisions: a question, the rules, and where the user is.

Source:
    Smart-building thesis, sections 3.4 and 4.4.3.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from eventservices.bus.core import Decision
from eventservices.bus.errors import FilterError
from eventservices.bus.filters import check_filter
from eventservices.bus.wire.policy import Question

from fes_policy.building import Building, event_entities, user_entity
from fes_policy.rules import Rule, Rules, filter_of, text_of
from fes_policy.whereabouts import Whereabouts

MINUTE_US: Final = 60_000_000
GRACE_US: Final = 2_000_000
"""How long a decision outlives what it rests on, so that the next one comes before it ends."""

MOST_ENTITIES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Explained:
    """A decision, and what led to it.

    Attributes:
        decision: See there.
        rules: That decided, in their order.
        context: Cedar's context, beside user and event.
    """

    decision: Decision
    rules: tuple[Rule, ...]
    context: dict[str, Any]


class Engine:
    """Decides.

    Args:
        rules: May be replaced.
        building: May not.
        whereabouts: Of its users.
    """

    def __init__(self, rules: Rules, building: Building, whereabouts: Whereabouts) -> None:
        self.rules = rules
        self.building = building
        self.whereabouts = whereabouts
        self._events: OrderedDict[str, list[dict[str, Any]]] = OrderedDict()

    def decide(self, question: Question, now_us: int) -> Explained:
        """Return the decision on a question.

        Args:
            question: Who requests what.
            now_us: Microseconds since 1970 UTC.
        """
        place = self.whereabouts.place(question.user, now_us)
        context = self._context(question, place, now_us)
        permit, rules = self.rules.decide(
            request_of(question.user, question.name, context), self._entities(question)
        )
        until_us = now_us + int(self.building.lifetime_s * 1e6)
        # Rules read the time in minutes, and a place counts as long as its sighting.
        if self.rules.read_time:
            until_us = min(until_us, (now_us // MINUTE_US + 1) * MINUTE_US + GRACE_US)
        if place is not None:
            until_us = min(until_us, place[1] + GRACE_US)
        named = ", ".join(each.id for each in rules) or "no rule permits it"
        if not permit:
            decision = Decision(
                permit=False, rule=named, until_us=until_us, reason=f"refused: {named}"
            )
            return Explained(decision, rules, context)
        filter_ = filter_of(rules)
        try:
            if filter_ is not None:
                check_filter(filter_)
        except FilterError as error:
            reason = f"the rules' filters together are too large: {error}"
            decision = Decision(permit=False, rule=named, until_us=until_us, reason=reason)
            return Explained(decision, rules, context)
        return Explained(
            Decision(True, named, until_us, filter_, text=text_of(rules)), rules, context
        )

    def _context(
        self, question: Question, place: tuple[str, int] | None, now_us: int
    ) -> dict[str, Any]:
        moment = datetime.fromtimestamp(now_us / 1e6, UTC)
        context: dict[str, Any] = {
            "device": question.device,
            "bus": question.bus,
            "minute": moment.hour * 60 + moment.minute,
            "weekday": moment.isoweekday(),
        }
        if place is not None:
            context["place"] = place[0]
            context["places"] = list(self.building.around(place[0]))
        return context

    def _entities(self, question: Question) -> list[dict[str, Any]]:
        found = self._events.get(question.name)
        if found is None:
            found = self._events[question.name] = event_entities(question.name)
            if len(self._events) > MOST_ENTITIES:
                self._events.popitem(last=False)
        return [user_entity(self.building, question.user), *found]


def request_of(user: str, name: str, context: dict[str, Any] | str) -> dict[str, Any]:
    """Return a request in Cedar's form; the context may be JSON."""
    return {
        "principal": {"type": "User", "id": user},
        "action": {"type": "Action", "id": "subscribe"},
        "resource": {"type": "Event", "id": name},
        "context": context,
    }


def shown(rules: Sequence[Rule]) -> list[dict[str, str]]:
    """Return rules for people."""
    return [
        {
            "rule": each.id,
            "effect": "permit" if each.permits else "forbid",
            "filter": each.filter.text if each.filter else "",
        }
        for each in rules
    ]
