"""Choosing one of several members, with the state that a choice depends on."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Final

from fes.errors import ScopeError
from fes.model import Event
from fes.plugins import load_function
from fes.scopes.policies.declared import Chooser, Delivery, Turn

MAX_KEYS = 10_000
"""Most values of a key whose member is remembered, for each scope; the oldest goes first."""

PLUGINS: Final = "fes.scope_choosers"
"""Entry points of delivery policies that are code."""


def load_chooser(name: str) -> Chooser:
    """Return the delivery policy that an installed package provides.

    Raises:
        ScopeError: None or several packages provide it, or it does not load.
    """
    return load_function(PLUGINS, name, ScopeError)


class Choices:
    """Which member had its turn last, and which one had a key before.

    Args:
        changed: Called with the key and the value of each row of the journal that changed; None
            where the row went.
    """

    def __init__(self, changed: Callable[[str, object | None], None]) -> None:
        self._changed = changed
        self._last: dict[str, str] = {}
        self._keys: dict[str, OrderedDict[str, str]] = {}

    def restore(self, key: str, value: object) -> None:
        """Restore a row of the journal: `turn/<scope>`, or `sticky/<scope>/<key>`."""
        kind, _, rest = key.partition("/")
        if kind == "turn":
            self._last[rest] = str(value)
        elif kind == "sticky":
            scope, _, which = rest.partition("/")
            self._keys.setdefault(scope, OrderedDict())[which] = str(value)

    def one(
        self,
        scope: str,
        delivery: Delivery,
        event: Event,
        all_members: Sequence[str],
        eligible: Sequence[str],
        load: Callable[[str], int],
    ) -> str:
        """Return the member that receives an event.

        Where a plug-in fails, or returns a member that could not receive it, the first one does.

        Args:
            scope: Whose members they are.
            delivery: How to choose.
            event: The event.
            all_members: In order of declaration.
            eligible: Those of them that could receive it, not empty, in the same order; the turn
                of another goes to the next of these.
            load: Returns how much work a member has.
        """
        match delivery.turn:
            case Turn.TURNS:
                chosen = self._next(scope, all_members, eligible)
            case Turn.HASH:
                chosen = _by_hash(_key(event, delivery), eligible)
            case Turn.LOAD:
                chosen = min(eligible, key=load)
            case Turn.STICKY:
                chosen = self._as_before(scope, _key(event, delivery), all_members, eligible)
            case Turn.PLUGIN:
                chosen = _by_plugin(delivery, event, eligible)
            case Turn.ALL:
                raise ValueError("all members receive the event")
        return chosen if chosen in eligible else eligible[0]

    def _next(self, scope: str, all_members: Sequence[str], eligible: Sequence[str]) -> str:
        last = self._last.get(scope)
        start = all_members.index(last) + 1 if last in all_members else 0
        order = [*all_members[start:], *all_members[:start]]
        chosen = next(member for member in order if member in eligible)
        self._last[scope] = chosen
        self._changed(f"turn/{scope}", chosen)
        return chosen

    def _as_before(
        self, scope: str, key: str, all_members: Sequence[str], eligible: Sequence[str]
    ) -> str:
        keys = self._keys.setdefault(scope, OrderedDict())
        known = keys.get(key)
        if known in eligible and known is not None:
            return known
        chosen = self._next(scope, all_members, eligible)
        keys[key] = chosen
        keys.move_to_end(key)
        self._changed(f"sticky/{scope}/{key}", chosen)
        if len(keys) > MAX_KEYS:
            oldest, _ = keys.popitem(last=False)
            self._changed(f"sticky/{scope}/{oldest}", None)
        return chosen


def _key(event: Event, delivery: Delivery) -> str:
    value = event.parameter(delivery.key) if delivery.key else event.subject
    return f"{type(value).__name__}:{value}"


def _by_plugin(delivery: Delivery, event: Event, eligible: Sequence[str]) -> str:
    if delivery.chooser is None:
        return eligible[0]
    # Foreign code: whatever it raises, one event must not end the gateway.
    try:
        return delivery.chooser(event, tuple(eligible))
    except Exception:  # noqa: BLE001 - the event goes to the first member that could receive it
        return eligible[0]


def _by_hash(key: str, eligible: Sequence[str]) -> str:
    """Return the member with the highest weight for a key: others keep theirs when one goes."""

    def weight(member: str) -> bytes:
        return blake2b(f"{key}\0{member}".encode(), digest_size=8).digest()

    return max(eligible, key=weight)
