"""Stand-ins for SIENA and the gateways."""

import itertools
from dataclasses import dataclass, field

from fes.errors import UnavailableError
from traffic_control.city import Monitor
from traffic_control.command import Command

M01 = Monitor("M01", "steam-m-M01", ("g-m-M01",), 70.0)
M02 = Monitor("M02", "steam-m-M02", ("g-m-M02",), 50.0)


def filter_text(limit: str) -> str:
    return f"subject = 'Speed' AND rate > {limit}"


@dataclass
class FakeAsker:
    """Makes requests that nobody hears."""

    made: list[tuple[str, str, str, float]] = field(default_factory=list)
    away: bool = False
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    async def subscribe(self, dist_list: str, filter_: str, lease_s: float = 0.0) -> str:
        return self._make("subscribe", dist_list, filter_, lease_s)

    async def unsubscribe(self, dist_list: str, filter_: str) -> str:
        return self._make("unsubscribe", dist_list, filter_, 0.0)

    def _make(self, action: str, dist_list: str, filter_: str, lease_s: float) -> str:
        if self.away:
            raise UnavailableError("away")
        self.made.append((action, dist_list, filter_, lease_s))
        return f"traffic-control/1/{next(self._numbers)}"

    @property
    def told(self) -> list[tuple[str, str, str]]:
        """Action, monitor's service and limit of each request."""
        return [(action, to, text.rpartition(" ")[2]) for action, to, text, _ in self.made]


@dataclass
class FakeConfirms:
    """Says when commands came into force."""

    silent: set[str] = field(default_factory=set)
    looked: list[str] = field(default_factory=list)
    waited: list[str] = field(default_factory=list)

    async def once(self, monitor: Monitor, command: Command) -> int | None:
        self.looked.append(command.request)
        return self._answer(command)

    async def within(self, monitor: Monitor, command: Command, seconds: float) -> int | None:
        self.waited.append(command.request)
        return self._answer(command)

    def _answer(self, command: Command) -> int | None:
        return None if command.monitor in self.silent else command.sent_us + 5
