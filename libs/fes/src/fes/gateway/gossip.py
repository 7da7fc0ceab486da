"""Gossip: what gateways tell one another without being asked, and what follows from it.

A hello says who is there and, in digests, what it knows. What is new is told on; what is equal is
not told at all, so that a circle of gateways falls silent but for its hellos.

Source:
    design, sections 4 and 6, rule 5.
"""

from collections.abc import Container, Iterable

from fes.control.signal import Attendance, Hello, Table
from fes.gateway.exchange import Exchange
from fes.gateway.outputs import PutRow
from fes.gateway.presence import Presence
from fes.gateway.replicas import ROSTER, write_roster
from fes.gateway.settings import GatewaySettings
from fes.gateway.signalling import Signalling
from fes.gateway.standing import Standing
from fes.gateway.turn import Turn

CONTACT = "contact"
"""Key, in the journal, of when this gateway was last in touch with others."""

CONTACTS = 8
"""How often the horizon that is noted."""

GRACE_HELLOS = 10
"""Hello intervals that one who was away waits for a neighbour who was not."""


class Gossip:
    """Says hello, listens, and keeps presence and request table as the neighbours have them.

    Args:
        settings: Of the gateway.
        standing: Keeps the requests.
        links: Event services whose link is up.
        epoch: Start of this gateway, wall clock, microseconds.
        speaks: Whether it speaks for the gateway: of several replicas one does, the others listen.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        standing: Standing,
        links: Container[str],
        epoch: int,
        *,
        speaks: bool = True,
    ) -> None:
        self.presence = Presence(settings, links)
        has_company = self.presence.neighbours.has_company
        self.signalling = Signalling(settings, links, has_company)
        self.exchange = Exchange(settings, standing, self.presence, self.signalling, epoch)
        self._settings = settings
        self._standing = standing
        self._epoch = epoch
        self._speaks = speaks
        self._roster_kept: int | None = None
        self._said_us: dict[str, int] = {}
        self._contact_us = epoch

    def restore(self, contact: bytes | None) -> None:
        """Take back when the gateway before this one was last in touch."""
        if contact is not None:
            self._contact_us = int(contact)
            self.exchange.away = self._epoch - self._contact_us > self._settings.horizon_us

    def speak(self, epoch: int, contact: bytes | None) -> None:
        """Speak for the gateway from now on.

        Args:
            epoch: Start of this replica's lead: larger than any epoch told before.
            contact: As `restore` takes it.
        """
        self._speaks = True
        self._epoch = self._contact_us = epoch
        self.exchange.begin(epoch)
        self.restore(contact)

    def adopt(self, attendances: Iterable[Attendance]) -> None:
        """Take over where every gateway is, this one too, from the replica that speaks."""
        for attendance in attendances:
            self.presence.roster.take(attendance)

    def tick(self, turn: Turn) -> bool:
        """Let time pass; tell whether the ways changed."""
        presence = self.presence
        presence.tick(turn.now.wall_us)
        if not self._speaks:
            return presence.review()
        if presence.uptime_us > GRACE_HELLOS * self._settings.hello_us:
            self.exchange.away = False
        changed = self.review(turn)
        for service in self._settings.adapters:
            interval_us = presence.neighbours.interval_us(service)
            if presence.uptime_us - self._said_us.get(service, -interval_us) >= interval_us:
                self.say_at(service, (), turn)
        self.exchange.tick(turn)
        self._keep_contact(turn)
        return changed

    def hear(self, hello: Hello, service: str, turn: Turn) -> bool:
        """Take a hello; tell whether its gateway was not heard before, or started again."""
        newcomer = self.presence.hear(hello, service)
        if not self._speaks:
            self.presence.learn(hello.attendances)
            return newcomer
        self._learn(hello.attendances, service, turn)
        self.exchange.compare(hello, service, turn)
        if newcomer:
            self.say_at(service, (), turn)
        return newcomer

    def told(self, table: Table, service: str, turn: Turn) -> None:
        """Take a part of a neighbour's table."""
        if not self._speaks:
            self.presence.learn(table.attendances)
            return
        self._learn(table.attendances, service, turn)
        self.exchange.told(table, service, turn)

    def review(self, turn: Turn) -> bool:
        """Say hello where something changed here; tell whether the ways did."""
        if self._speaks and self.presence.speak(turn.now.wall_us):
            for service in self._settings.adapters:
                self.say_at(service, (), turn)
        return self.presence.review()

    def keep(self, turn: Turn) -> None:
        """Keep the roster for the other replicas, where it changed."""
        roster = self.presence.roster
        if self._roster_kept != roster.digest:
            self._roster_kept = roster.digest
            turn.mutations.append(PutRow(ROSTER, write_roster(roster)))

    def say_at(self, service: str, learnt: Iterable[Attendance], turn: Turn) -> None:
        """Say hello at an event service, and what was learnt."""
        roster = self.presence.roster
        own = roster.get(self._settings.id)
        hello = Hello(
            self._settings.id,
            self._epoch,
            self._standing.table.digest,
            roster.digest,
            self.exchange.away,
            (*((own,) if own.version >= 0 else ()), *learnt),
        )
        self._said_us[service] = self.presence.uptime_us
        self.signalling.say(hello, service, turn)

    def _learn(self, attendances: Iterable[Attendance], service: str, turn: Turn) -> None:
        new = self.presence.learn(attendances)
        if not new:
            return
        for name, adapter in self._settings.adapters.items():
            if name != service or adapter.on_medium:
                self.say_at(name, new, turn)

    def _keep_contact(self, turn: Turn) -> None:
        """Note, now and then, that this gateway is in touch: with others, where there are any."""
        neighbours, now_us = self.presence.neighbours, turn.now.wall_us
        alone = any(map(neighbours.has_company, self._settings.adapters)) and all(
            neighbours.is_alone(service, self.presence.uptime_us)
            for service in self._settings.adapters
        )
        if not alone and now_us - self._contact_us >= self._settings.horizon_us // CONTACTS:
            self._contact_us = now_us
            turn.mutations.append(PutRow(CONTACT, str(now_us).encode()))
