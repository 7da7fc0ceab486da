"""Degrading: counts the attributes of events that an event service does not honour.

Adapters and gateways honour `Timeout`, `StopTime` and `StartTime`, and the gateway reports where
`Reliability` is degraded; the others are up to the event service.
"""

from collections.abc import Collection
from typing import Final

from fes.model import Event
from fes.model.attributes import PRIORITY, PROXIMITY, priority

ASKED: Final = (PRIORITY, PROXIMITY)
"""Standard attributes that only the event service can honour."""


class Degrading:
    """Counts the events with an attribute that an event service does not honour.

    The attribute itself is published; what receives the event may honour it.

    Args:
        honours: Standard attributes that the event service honours.

    Attributes:
        counters: `degraded_…` for each that it does not honour.
    """

    def __init__(self, honours: Collection[str]) -> None:
        self._names = {name: f"degraded_{name.lower()}" for name in ASKED if name not in honours}
        self.counters = dict.fromkeys(self._names.values(), 0)

    def count(self, event: Event) -> None:
        """Count a published event; a priority of 0, or one that is not valid, requests nothing."""
        for field in event.attributes:
            counter = self._names.get(field.id)
            if counter is not None and (field.id != PRIORITY or priority(event)):
                self.counters[counter] += 1
