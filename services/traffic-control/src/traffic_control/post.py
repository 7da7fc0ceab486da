"""The state of one monitor, as the city sees it."""

import asyncio
from dataclasses import dataclass, field
from typing import Final

from traffic_control.city import Monitor
from traffic_control.command import Command
from traffic_control.errors import BusyError

MAX_UNDER_WAY: Final = 16
"""Most commands for a monitor that wait for their outcome."""


MOST_DOUBLINGS: Final = 8


@dataclass(slots=True)
class Post:
    """One monitor and its limit.

    Attributes:
        monitor: The monitor.
        limit: The desired limit, km/h.
        held: Limits requested and not withdrawn, oldest first; the desired one is among them once
            it was requested.
        applied_us: When the desired limit became active, wall clock, microseconds since 1970 UTC;
            None until that is known.
        was_applied: Whether any limit has been active since the start.
        request: Id of the last request for the desired limit.
        asked_s: When that was made, monotonic; None for never.
        under_way: Commands that wait for their outcome.
        unanswered: Successive requests for the desired limit whose outcome was not learnt.
        turn: Lock that serialises requests for the monitor.
    """

    monitor: Monitor
    limit: float
    held: dict[float, None] = field(default_factory=dict)
    applied_us: int | None = None
    was_applied: bool = False
    request: str = ""
    asked_s: float | None = None
    under_way: int = 0
    unanswered: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def superseded(self) -> tuple[float, ...]:
        """Limits that are not withdrawn and no longer desired."""
        return tuple(limit for limit in self.held if limit != self.limit)

    @property
    def asks(self) -> bool:
        """Whether the desired limit is requested, and not known to be active."""
        return self.applied_us is None and self.under_way > 0

    def check_free(self) -> None:
        """Raise an error where no more commands can be accepted now.

        Raises:
            BusyError: Too many wait for their outcome.
        """
        if self.under_way >= MAX_UNDER_WAY:
            raise BusyError(
                f"monitor {self.monitor.name}: {self.under_way} commands are in progress"
            )

    def is_due(self, now_s: float, renew_s: float, retry_s: float) -> bool:
        """Return whether the desired limit must be requested (again) now.

        Args:
            now_s: Monotonic seconds.
            renew_s: Time between renewals of a limit that is active.
            retry_s: Time after which one is requested again that is not; it doubles each time,
                up to `renew_s`.
        """
        if self.asked_s is None:
            return True
        waited_s = now_s - self.asked_s
        if self.applied_us is None:
            pause_s = retry_s * 2 ** min(max(0, self.unanswered - 1), MOST_DOUBLINGS)
            return not self.under_way and waited_s >= min(pause_s, max(retry_s, renew_s))
        return waited_s >= renew_s

    def asked(self, command: Command, now_s: float) -> None:
        """Note that a limit was requested; it is the desired one from now on."""
        if command.limit != self.limit:
            self.limit, self.applied_us, self.unanswered = command.limit, None, 0
        self.held[command.limit] = None
        self.request, self.asked_s = command.request, now_s

    def withdrawn(self, command: Command) -> None:
        """Note that a limit was withdrawn."""
        self.held.pop(command.limit, None)

    def learnt(self, command: Command, applied_us: int | None) -> None:
        """Note when a command became active; None where that is not known."""
        stands = command.action != "unsubscribe" and command.limit == self.limit
        if stands and applied_us is None:
            self.unanswered += 1
        elif stands:
            self.was_applied, self.unanswered = True, 0
            if self.applied_us is None:
                self.applied_us = applied_us
