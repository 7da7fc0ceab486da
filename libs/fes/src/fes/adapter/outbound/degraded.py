"""What an event service does not do of what an event requests: allowed, and counted.

`Timeout`, `StopTime` and `StartTime` are kept by adapters and gateways, and the gateway tells
where `Reliability` is degraded; what is left is up to the event service.
"""

from collections.abc import Collection
from typing import Final

from fes.model import Event
from fes.model.attributes import PRIORITY, PROXIMITY, priority

ASKED: Final = (PRIORITY, PROXIMITY)
"""Standard attributes by which an event asks something of the event service alone."""


class Degrading:
    """Counts the events that asked an event service for what it does not do.

    The attribute itself crosses; what is next to it may do more.

    Args:
        honours: Standard attributes that the event service does.

    Attributes:
        counters: `degraded_…` for each that it does not.
    """

    def __init__(self, honours: Collection[str]) -> None:
        self._names = {name: f"degraded_{name.lower()}" for name in ASKED if name not in honours}
        self.counters = dict.fromkeys(self._names.values(), 0)

    def count(self, event: Event) -> None:
        """Count a published event; a priority of 0, or one that is none, requests nothing."""
        for field in event.attributes:
            counter = self._names.get(field.id)
            if counter is not None and (field.id != PRIORITY or priority(event)):
                self.counters[counter] += 1
