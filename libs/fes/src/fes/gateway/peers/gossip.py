"""Gossip: what gateways send one another without a request, and what follows from it.

A hello states which gateways are there and, in digests, what its sender knows. What is new is
forwarded; what is equal is not sent at all, so that a circle of gateways falls silent but for its
hellos.

Source:
    design, sections 4 and 6, rule 5.
"""

from collections.abc import Container, Iterable, Mapping

from fes.control.signal import Attendance, Hello, Table
from fes.gateway.outputs import PutRow
from fes.gateway.peers.absence import Touch
from fes.gateway.peers.presence import Presence
from fes.gateway.peers.signals import Signals
from fes.gateway.peers.table_sync import TableSync
from fes.gateway.replication import ROSTER, write_roster
from fes.gateway.requests.registry import RequestRegistry
from fes.gateway.requests.validation import latest
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn

PROMPT = 8
"""Most hellos at one event service, between two ticks, that are sent at once when something is
learnt; more wait for the tick and go as one. In a crowd all wait."""


class Gossip:
    """Sends and receives hellos, and keeps presence and request table equal to the neighbours'.

    Args:
        settings: Of the gateway.
        registry: Keeps the requests.
        links: Event services whose link is up.
        epoch: Identifies this start: different from any sent before. It is not a time.
        speaks: Whether it sends for the gateway: of several replicas one does, the others only
            receive.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        registry: RequestRegistry,
        links: Container[str],
        epoch: int,
        *,
        speaks: bool = True,
    ) -> None:
        self.presence = Presence(settings, links)
        has_company = self.presence.neighbours.has_company
        self.signals = Signals(settings, links, has_company)
        self.touch = Touch(settings.horizon_us, company=any(map(has_company, settings.adapters)))
        self.table_sync = TableSync(
            settings, registry, self.presence, self.signals, self.touch, epoch
        )
        self._settings = settings
        self._registry = registry
        self._epoch = epoch
        self._speaks = speaks
        self._known = frozenset(name for name, _ in settings.topology.attachments)
        self._roster_kept: int | None = None
        self._said_us: dict[str, int] = {}
        self._prompt: dict[str, int] = {}
        self._most_prompt = 0 if self.presence.neighbours.crowded else PROMPT
        self._learnt: dict[str, dict[str, Attendance]] = {}

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Restore when this gateway was last in touch with others."""
        self.touch.restore(state)

    def speak(self, epoch: int, state: Mapping[str, bytes]) -> None:
        """Send for the gateway from now on.

        Args:
            epoch: Identifies this replica's lead: different from any epoch sent before.
            state: As for `restore`.
        """
        self._speaks = True
        self._epoch = epoch
        self.table_sync.begin(epoch)
        self.restore(state)

    def adopt(self, attendances: Iterable[Attendance]) -> None:
        """Adopt where every gateway is, this one too, from the replica that leads."""
        for attendance in attendances:
            self.presence.roster.take(attendance)

    def tick(self, turn: Turn) -> bool:
        """Send the hellos that are due; return whether the routes changed."""
        presence = self.presence
        presence.tick(turn.own_us)
        if not self._speaks:
            return presence.review()
        self._prompt.clear()
        self._say_where(turn)
        changed = presence.review()
        for service in self._settings.adapters:
            interval_us = presence.neighbours.interval_us(service)
            due = presence.uptime_us - self._said_us.get(service, -interval_us) >= interval_us
            if due or service in self._learnt:
                self.say_at(service, turn)
        self.table_sync.tick(turn)
        turn.mutations.extend(self.touch.keep(self._registry.table.accepted_us))
        return changed

    def received(self, gateway: str, turn: Turn) -> None:
        """Note that something came from another gateway; only those of the file count."""
        if gateway in self._known and self.touch.received(turn.own_us):
            self.touch.settle(turn.own_us)

    def hear(self, hello: Hello, service: str, turn: Turn) -> bool:
        """Accept a hello; return whether its gateway was not received before, or started again."""
        newcomer = self.presence.hear(hello, service)
        if not self._speaks:
            self.presence.learn(self._sound(hello.attendances, service, turn))
            return newcomer
        self._learn(hello.attendances, service, turn)
        self.table_sync.compare(hello, service, turn)
        if newcomer and self.presence.neighbours.greets(service, hello.gateway):
            self._say_soon(service, (), turn)
        return newcomer

    def told(self, table: Table, service: str, turn: Turn) -> None:
        """Accept a part of a neighbour's table."""
        if not self._speaks:
            self.presence.learn(self._sound(table.attendances, service, turn))
            return
        self._learn(table.attendances, service, turn)
        self.table_sync.told(table, service, turn)

    def review(self, turn: Turn) -> bool:
        """Send a hello where something changed here; return whether the routes did.

        In a crowd it is sent with the next tick: an adapter that starts changes several times.
        """
        if self._most_prompt:
            self._say_where(turn)
        return self.presence.review()

    def _say_where(self, turn: Turn) -> None:
        if self._speaks and self.presence.speak(turn.now.wall_us, turn.own_us):
            for service in self._settings.adapters:
                self.say_at(service, turn)

    def keep(self, turn: Turn) -> None:
        """Keep the roster for the other replicas, where it changed."""
        roster = self.presence.roster
        if self._roster_kept != roster.digest:
            self._roster_kept = roster.digest
            turn.mutations.append(PutRow(ROSTER, write_roster(roster)))

    def say_at(self, service: str, turn: Turn) -> None:
        """Send a hello at an event service, with what was learnt since the last one."""
        learnt = self._learnt.pop(service, {}).values()
        roster = self.presence.roster
        own = roster.get(self._settings.id)
        hello = Hello(
            self._settings.id,
            self._epoch,
            self._registry.table.digest,
            roster.digest,
            self.touch.doubtful,
            (*((own,) if own.version >= 0 else ()), *learnt),
            self.presence.scopes,
        )
        self._said_us[service] = self.presence.uptime_us
        self.signals.say(hello, service, turn)

    def _learn(self, attendances: Iterable[Attendance], service: str, turn: Turn) -> None:
        new = self.presence.learn(self._sound(attendances, service, turn))
        if not new:
            return
        for name, adapter in self._settings.adapters.items():
            if name != service or adapter.on_medium:
                self._say_soon(name, new, turn)

    def _say_soon(self, service: str, learnt: Iterable[Attendance], turn: Turn) -> None:
        """Send a hello at once, or with the next tick where many were sent since the last tick."""
        self._learnt.setdefault(service, {}).update((each.gateway, each) for each in learnt)
        said = self._prompt[service] = self._prompt.get(service, 0) + 1
        if said <= self._most_prompt:
            self.say_at(service, turn)

    def _sound(
        self, attendances: Iterable[Attendance], service: str, turn: Turn
    ) -> list[Attendance]:
        """Return the attendances whose version is not far in the future; refuse the others."""
        latest_us, found = latest(turn), []
        for attendance in attendances:
            if max(attendance.version, attendance.since) > latest_us:
                reason = f"attendance of {attendance.gateway[:60]!r}: lies in the future"
                self._registry.refuse(reason, service, turn)
            else:
                found.append(attendance)
        return found
