"""Active requests at each attached event service: of every key the newest request that matches.

Source:
    design, section 4; ADR 15.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from fes.distribution import is_pattern, matches
from fes.gateway.requests.row import Key, Row, is_newer

Rows = Mapping[Key, Mapping[str, Row]]
"""Rows by key, then by pattern."""


Confine = Callable[[Row | None, str], Row | None]
"""Returns a request as it is active at an event service; the same object for the same request."""


def unconfined(row: Row | None, _: str) -> Row | None:
    """Return a request as it was made."""
    return row


class Held(NamedTuple):
    """The active request of a key at an event service, before a change and after it.

    Attributes:
        service: The event service.
        before, after: The active request; None where there is none.
    """

    service: str
    before: Row | None
    after: Row | None


class Holding:
    """Finds the active requests, and which of them changed.

    Args:
        services: Event services for which they are found.
        rows: The table's rows, up to date at each call.
        wild: Those whose pattern has wildcards.
        confine: Returns a request as it is active at an event service; None where it is not.
    """

    def __init__(
        self, services: Iterable[str], rows: Rows, wild: Rows, confine: Confine = unconfined
    ) -> None:
        self._confine = confine
        self._asked: dict[str, tuple[Row, ...]] = {}
        self._rows = rows
        self._wild = wild
        self._held: dict[str, dict[Key, Row]] = {service: {} for service in services}
        self._changed: dict[tuple[str, Key], Row | None] = {}

    def look(self, key: Key, pattern: str) -> None:
        """Find the active request of a key again, at the services that a pattern matches."""
        self._asked.clear()
        if not is_pattern(pattern):
            services: Iterable[str] = (pattern,) if pattern in self._held else ()
        else:
            services = [service for service in self._held if matches(pattern, service)]
        for service in services:
            held = self._held[service]
            before, after = held.get(key), self._holds(key, service)
            if before is after:
                continue
            self._changed.setdefault((service, key), before)
            if after is None:
                del held[key]
            else:
                held[key] = after

    def review(self, key: Key) -> None:
        """Find again which request of a key is active: what confines it changed."""
        for pattern in tuple(self._rows.get(key, ())):
            self.look(key, pattern)

    def changes(self) -> list[Held]:
        """Return what changed since the last call; unchanged requests cost nothing."""
        changed, self._changed = self._changed, {}
        held = [
            Held(service, before, self._held[service].get(key))
            for (service, key), before in changed.items()
        ]
        return [each for each in held if each.before is not each.after]

    def at(self, service: str) -> list[Row]:
        """Return the requests that are active at an event service, oldest first."""
        held = self._held.get(service)
        found = held.values() if held is not None else self._all_at(service)
        return sorted(found, key=lambda row: (row.rank, row.name))

    def asked(self, service: str) -> tuple[Row, ...]:
        """Return the requests for an event service as their clients made them, unconfined."""
        known = self._asked.get(service)
        if known is None:
            found = (self._newest_for(key, service) for key in self._rows)
            known = self._asked[service] = tuple(row for row in found if row is not None)
        return known

    def _holds(self, key: Key, service: str) -> Row | None:
        """Return the request of a key that is active at an event service.

        None where there is none.
        """
        return self._confine(self._newest_for(key, service), service)

    def _newest_for(self, key: Key, service: str) -> Row | None:
        """Return the newest request of a key for an event service, unconfined."""
        if key.source == service:
            return None
        best = self._rows.get(key, {}).get(service)
        for pattern, row in self._wild.get(key, {}).items():
            if matches(pattern, service) and (best is None or is_newer(row, best)):
                best = row
        return None if best is None or best.withdrawn else best

    def _all_at(self, service: str) -> list[Row]:
        found = (self._holds(key, service) for key in self._rows)
        return [row for row in found if row is not None]
