"""Fabricated announcements: made before an event is published that no client announced."""

from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from fes.errors import EventError
from fes.federation.bounds import MIB
from fes.gateway.requests.desired import DesiredState
from fes.gateway.turn import Turn
from fes.link.messages import Announce, Unannounce
from fes.model import binary

LEASE_BYTES = 500
"""Bytes that a lease accounts for, beside its body."""


@dataclass(slots=True)
class _Lease:
    number: int
    body: bytes
    until_us: int

    @property
    def weight(self) -> int:
        """The bytes of memory that it accounts for."""
        return LEASE_BYTES + len(self.body)


class Announcements:
    """Keeps the fabricated announcements of a gateway, as leases that publications renew.

    Args:
        desired: By event service; what a client announced is not fabricated.
        next_number: Returns numbers, each once.
        lease_us: How long an announcement lasts without renewal.
        limit: Most announcements at one event service; the one unused longest is withdrawn first.
        limit_bytes: Most bytes that they account for; the newest stays, however large.
    """

    def __init__(
        self,
        desired: dict[str, DesiredState],
        next_number: Callable[[], int],
        lease_us: int,
        limit: int = 1000,
        limit_bytes: int = MIB,
    ) -> None:
        self._desired = desired
        self._next_number = next_number
        self._lease_us = lease_us
        self._limit = limit
        self._limit_bytes = limit_bytes
        self._bytes: Counter[str] = Counter()
        self._leases: dict[str, OrderedDict[str, _Lease]] = {}

    def before(self, service: str, subject: str, body: bytes, turn: Turn) -> None:
        """Announce a subject at an event service unless it is announced there, and renew its lease.

        Raises:
            EventError: The body is not an event of the subject, and would be announced.
        """
        now_us = turn.own_us
        leases = self._leases.setdefault(service, OrderedDict())
        lease = leases.get(subject)
        if lease is not None:
            lease.until_us = now_us + self._lease_us
            leases.move_to_end(subject)
            return
        if self._desired[service].announces(subject):
            return
        if binary.decode(body).subject != subject:
            raise EventError(f"is not an event of subject {subject[:60]!r}")
        lease = _Lease(self._next_number(), body, now_us + self._lease_us)
        leases[subject] = lease
        self._bytes[service] += lease.weight
        turn.order(service, Announce(lease.number, body))
        while len(leases) > 1 and (
            len(leases) > self._limit or self._bytes[service] > self._limit_bytes
        ):
            self._end(service, next(iter(leases)), turn)

    def failed(self, service: str, number: int, turn: Turn) -> None:
        """Forget an announcement that failed, so that the next publication makes it again."""
        leases = self._leases.get(service, OrderedDict())
        for subject, lease in leases.items():
            if lease.number == number:
                self._end(service, subject, turn)
                return

    def expire(self, now_us: int, turn: Turn) -> None:
        """Withdraw the announcements whose lease ended."""
        for service, leases in self._leases.items():
            ended = [name for name, lease in leases.items() if lease.until_us <= now_us]
            for name in ended:
                self._end(service, name, turn)

    @property
    def bytes(self) -> int:
        """The bytes that all announcements account for."""
        return self._bytes.total()

    def _end(self, service: str, subject: str, turn: Turn) -> None:
        lease = self._leases[service].pop(subject)
        self._bytes[service] -= lease.weight
        turn.order(service, Unannounce(lease.number))

    def live(self, service: str) -> tuple[Announce, ...]:
        """Return the fabricated announcements that are active at an event service."""
        return tuple(
            Announce(lease.number, lease.body) for lease in self._leases.get(service, {}).values()
        )
