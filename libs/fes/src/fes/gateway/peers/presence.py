"""Presence: which gateways are there, and the routes that follow from it.

Every gateway states where it is attached, and which gateways it does not receive though it should.
Equal rosters result in equal routes everywhere, and a standby serves where an attachment no longer
works.

Source:
    design, section 6, rule 5.
"""

from collections.abc import Container, Iterable

from fes.control.signal import Attendance, Hello, Missing
from fes.federation.topology import Routes
from fes.gateway.peers.neighbours import Neighbours
from fes.gateway.peers.roster import Roster
from fes.gateway.settings import GatewaySettings

STALL = 1.5
"""Hello intervals that count at most between two ticks: so a process that halted, or a clock that
jumped, does not report all gateways as missing at once."""

REFUTE_HELLOS = 30
"""Hello intervals that a gateway waits before it again refutes one that misses it."""


class Presence:
    """Keeps where every gateway is, and derives the routes.

    Args:
        settings: Of the gateway.
        links: Event services whose link is up.

    Attributes:
        neighbours: Which gateways it receives.
        roster: Where every gateway is.
        uptime_us: Time that passed in this process; neither stalls nor jumps of the clock count.
        scopes: How many changes of scopes this gateway has applied.
    """

    def __init__(self, settings: GatewaySettings, links: Container[str]) -> None:
        topology = settings.topology
        self.neighbours = Neighbours(settings.id, topology, settings.hello_us)
        self.roster = Roster(topology)
        self.uptime_us = 0
        self._settings = settings
        self._links = links
        self._unready: dict[str, None] = {}
        self._ticked_us: int | None = None
        self._outdone = -1
        self._refuted_us: dict[str, int] = {}
        self._routes: Routes | None = None
        self._reviewed = 0
        self._stale = True
        self.scopes = 0

    @property
    def routes(self) -> Routes:
        """The routes over the attachments that work; computed only where an event needs one."""
        if self._routes is None:
            self._routes = self._settings.topology.routes(self.roster.live())
        return self._routes

    def tick(self, now_us: int) -> None:
        """Count the time that passed.

        Args:
            now_us: A clock that only goes forward, microseconds.
        """
        if self._ticked_us is not None:
            passed_us = max(0, now_us - self._ticked_us)
            self.uptime_us += min(passed_us, round(STALL * self._settings.hello_us))
        self._ticked_us = now_us
        self._stale = True

    def link(self, service: str) -> None:
        """Note that an adapter's link came up or went."""
        self._unready.pop(service, None)
        self.neighbours.listen(service, self.uptime_us)
        self._stale = True

    def ready(self, service: str, *, ready: bool) -> None:
        """Note whether an adapter's event service answers."""
        self._stale = True
        if ready and service in self._unready:
            del self._unready[service]
            self.neighbours.listen(service, self.uptime_us)
        elif not ready:
            self._unready[service] = None

    def applied(self, scopes: int) -> None:
        """Note how many changes of scopes this gateway has applied: the next words state it."""
        self._stale = self._stale or scopes != self.scopes
        self.scopes = scopes

    def acknowledged(self) -> dict[str, int]:
        """Return how many changes of scopes each gateway states to have applied."""
        return {each.gateway: each.scopes for each in self.roster} | {
            self._settings.id: self.scopes
        }

    def hear(self, hello: Hello, service: str) -> bool:
        """Accept a hello; return whether its gateway was not received before, or started again."""
        fresh = self.neighbours.hear(service, hello.gateway, hello.epoch, self.uptime_us)
        self._stale = self._stale or fresh
        return fresh

    def learn(self, attendances: Iterable[Attendance]) -> list[Attendance]:
        """Accept where others state that gateways are; return what is new."""
        new = []
        for attendance in attendances:
            if attendance.gateway == self._settings.id:
                if attendance.version > self._outdone:
                    self._outdone, self._stale = attendance.version, True
                continue
            since = self.roster.get(attendance.gateway).since
            if self.roster.take(attendance):
                new.append(attendance)
                if attendance.since > since:
                    self._give_time(attendance)
        self._stale = self._stale or bool(new)
        return new

    def speak(self, wall_us: int, own_us: int) -> bool:
        """Update where this gateway states that it is; return whether that changed.

        Args:
            wall_us: Wall clock, microseconds.
            own_us: The own time. Versions begin at the smaller of the two: a clock that was set
                must not put them far ahead.
        """
        if not self._stale:
            return False  # nothing was received that bears on it, and no time passed
        self._stale = False
        own = self.roster.get(self._settings.id)
        at, missing = self._at(), self._missing()
        refuting = self._refutes(at)
        same = (own.at, own.missing, own.scopes) == (at, missing, self.scopes)
        if same and not refuting and own.version >= self._outdone:
            return False
        version = max(min(wall_us, own_us), own.version + 1, self._outdone + 1)
        confirmed = refuting or own.at != at or own.version < self._outdone
        since = version if confirmed else own.since
        self.roster.take(Attendance(self._settings.id, version, since, at, missing, self.scopes))
        return True

    def review(self) -> bool:
        """Return whether the attachments that work changed since the last call."""
        if self.roster.changes == self._reviewed:
            return False
        self._reviewed = self.roster.changes
        self._routes = None
        return True

    def _at(self) -> tuple[str, ...]:
        return tuple(
            service
            for service in self._settings.adapters
            if service in self._links and service not in self._unready
        )

    def _missing(self) -> tuple[Missing, ...]:
        return tuple(
            Missing(gateway, service, self.roster.get(gateway).since)
            for service in self._at()
            if self._settings.adapters[service].accept
            for gateway in self.neighbours.missing(service, self.uptime_us)
        )

    def _give_time(self, attendance: Attendance) -> None:
        """Allow a gateway that states a new attachment time to be received before it is missing."""
        for service in attendance.at:
            if service in self._settings.adapters:
                self.neighbours.expect(service, attendance.gateway, self.uptime_us)

    def _refutes(self, at: tuple[str, ...]) -> bool:
        """Return whether a gateway misses this one that is not received, and may have ended."""
        bears_us = REFUTE_HELLOS * self._settings.hello_us
        refutes = False
        for gateway, service in self.roster.accused(self._settings.id):
            if service not in at or self.neighbours.is_heard(service, gateway, self.uptime_us):
                continue
            last_us = self._refuted_us.get(gateway)
            if last_us is None or self.uptime_us - last_us >= bears_us:
                self._refuted_us[gateway] = self.uptime_us
                refutes = True
        return refutes
