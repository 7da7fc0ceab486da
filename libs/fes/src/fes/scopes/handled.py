"""Which persistent events were routed through policies already: a repeated one is not routed again.

A policy that chooses one of several members may choose another for the same event.
"""

from collections import OrderedDict
from collections.abc import Callable

KIND = "handled"
"""What the keys of these rows begin with."""

MOST = 50_000
"""Most events that are remembered; the oldest is forgotten first, and counted."""


class HandledEvents:
    """Remembers events by key.

    Args:
        note: Has a row kept, or removed where its value is None.

    Attributes:
        forgotten: Events that were forgotten before their time.
    """

    def __init__(self, note: Callable[[str, int | None], None]) -> None:
        self.forgotten = 0
        self._note = note
        self._at_us: OrderedDict[str, int] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of events."""
        return len(self._at_us)

    def __contains__(self, key: str) -> bool:
        """Return whether an event was routed."""
        return key in self._at_us

    def add(self, key: str, now_us: int) -> None:
        """Remember an event from now on."""
        self._at_us.pop(key, None)
        self._at_us[key] = now_us
        self._note(f"{KIND}/{key}", now_us)
        if len(self._at_us) > MOST:
            self.forgotten += 1
            self._forget(next(iter(self._at_us)))

    def renew(self, key: str, now_us: int, after_us: int) -> None:
        """Remember a repeated event from now on, unless it was remembered just before."""
        if now_us - self._at_us[key] >= after_us:
            self.add(key, now_us)

    def expire(self, before_us: int) -> None:
        """Forget events of which no copy comes any more."""
        while self._at_us:
            key, at_us = next(iter(self._at_us.items()))
            if at_us > before_us:
                return
            self._forget(key)

    def restore(self, key: str, at_us: int) -> None:
        """Restore a row of the journal; `sort` follows the last one."""
        self._at_us[key] = at_us

    def sort(self) -> None:
        """Bring what was restored into the order of time."""
        self._at_us = OrderedDict(sorted(self._at_us.items(), key=lambda row: row[1]))

    def _forget(self, key: str) -> None:
        del self._at_us[key]
        self._note(f"{KIND}/{key}", None)
