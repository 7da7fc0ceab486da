"""The log of offenders, and the last of them in memory."""

import logging
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final, NamedTuple

from eventservices.siena import Notification
from eventservices.stamp import Stamp

from traffic_control.offender import Offender, offender_of

log = logging.getLogger(__name__)

KEPT: Final = 10_000
"""Most offenders kept in memory; the oldest is dropped first. The file contains all."""


class Numbered(NamedTuple):
    """An offender with its number, counted from 1 since the run began."""

    number: int
    offender: Offender


class Offenders:
    """Logs and keeps the offenders that the native client delivers.

    Args:
        write: Appends to the log.
        clock_us: The wall clock, microseconds since 1970 UTC.
        kept: Most offenders kept in memory.
        earlier: Offenders of the same run, logged before a restart; oldest first.

    Attributes:
        count: Offenders of the run.
        unreadable: Speed events that named no vehicle or no speed; left out.
        unstamped: Offenders whose event had no stamp.
    """

    def __init__(
        self,
        write: Callable[[Offender], None],
        clock_us: Callable[[], int],
        kept: int = KEPT,
        earlier: Iterable[Offender] = (),
    ) -> None:
        self.count = 0
        self.unreadable = 0
        self.unstamped = 0
        self._write = write
        self._clock_us = clock_us
        self._recent: deque[Offender] = deque(maxlen=kept)
        for offender in earlier:
            self.count += 1
            self._recent.append(offender)

    def take(self, notification: Notification, stamp: Stamp | None) -> None:
        """Accept one delivery; never blocks."""
        offender = offender_of(notification, stamp, self._clock_us())
        if offender is None:
            self.unreadable += 1
            return
        self.count += 1
        self.unstamped += stamp is None
        self._recent.append(offender)
        self._write(offender)
        fields = {"vehicle": offender.vehicle, "rate": offender.rate, "monitor": offender.monitor}
        log.info("offender_reported", extra=fields)

    def last(self, limit: int) -> list[Numbered]:
        """Return the newest offenders, oldest first.

        Args:
            limit: Most that are returned.
        """
        return self.after(max(0, self.count - limit), limit)

    def after(self, number: int, limit: int) -> list[Numbered]:
        """Return the offenders after a number that are still kept, oldest first.

        Args:
            number: Number of the last one that the caller has; 0 for none.
            limit: Most that are returned.
        """
        oldest = self.count - len(self._recent) + 1
        first = max(oldest, number + 1)
        found = islice(self._recent, first - oldest, first - oldest + limit)
        return [Numbered(first + at, one) for at, one in enumerate(found)]
