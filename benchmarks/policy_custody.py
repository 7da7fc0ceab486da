"""Rights withdrawn at one gateway: the copies in its custody, and which of them are still sent."""

import time
from typing import Any, Final

from fes.control import ControlEvent, RequestType
from fes.federation.topology import Topology
from fes.gateway import AdapterSettings, GatewayCore, GatewaySettings
from fes.gateway.inputs import Asker, Guided, Inject, LinkDown, LinkUp, Right, Tick
from fes.gateway.outputs import ToAdapter
from fes.gateway.settings import GuidanceSettings, Instant
from fes.link.messages import Heard, Publish
from fes.model import Event, Stamp, binary

SECOND_US: Final = 1_000_000
BEGIN_US: Final = 1_000 * SECOND_US
SUBJECT: Final = "Speed"
MOST_TICKS: Final = 10_000


def withdrawn(users: int, copies: int, revoked: int) -> dict[str, object]:
    """Return what became of copies that wait for services that are away, some without a right.

    Args:
        users: Services, each with a user of its own and one subscription.
        copies: Persistent events, a copy of each for every service.
        revoked: How many of the services lose their right.
    """
    played = _Played(users, copies)
    in_custody = played.in_custody
    sent = played.revoke(revoked)
    ticks = 0
    while played.in_custody > (users - revoked) * copies and ticks < MOST_TICKS:
        sent += played.tick()
        ticks += 1
    longest_s = played.longest_s
    sent += played.deliver()
    per_service = [sent.count(name) for name in played.services]
    return {
        "copies_in_custody": in_custody,
        "longest_turn_of_withdrawing_ms": round(1000 * longest_s, 2),
        "ticks_until_all_withdrawn_are_deleted": ticks,
        "copies_sent_without_a_right": sum(per_service[:revoked]),
        "copies_lost_of_others": (users - revoked) * copies - sum(per_service[revoked:]),
    }


class _Played:
    """A gateway with the event service `north`, and with services of users that are away."""

    def __init__(self, users: int, copies: int) -> None:
        self.services = [f"u{number}" for number in range(users)]
        self._now_us = BEGIN_US
        self.longest_s = 0.0
        every = ("north", *self.services)
        settings = GatewaySettings(
            id="g1",
            system="bench",
            adapters={name: AdapterSettings(f"g1.{name}", name) for name in every},
            services=every,
            topology=Topology(tuple(("g1", name) for name in every), {}),
            guidance=GuidanceSettings(policy=True),
            custody_bytes=1 << 30,
            in_flight=copies,
        )
        self._core = GatewayCore(settings)
        self._give(LinkUp(), "north")
        for number, name in enumerate(self.services, 1):
            self._give(Inject(_subscription(number, name)))
        until_us = BEGIN_US + 3600 * SECOND_US
        self._right = Right(True, until_us, "", "permit")
        self._give(Guided(rights={Asker(name, SUBJECT): self._right for name in self.services}))
        numbers = tuple(each.number for each in self._core.applied("north"))
        for sequence in range(1, copies + 1):
            self._give(_heard(numbers, sequence), "north")
        self.longest_s = 0.0

    @property
    def in_custody(self) -> int:
        """How many copies there are."""
        return len(self._core.delivery.custody)

    def revoke(self, count: int) -> list[str]:
        """Withdraw the rights of the first services, one by one; return to whom was sent."""
        refused = Right(False, self._right.until_us, "", "forbid")
        sent: list[str] = []
        for name in self.services[:count]:
            sent += self._give(Guided(rights={Asker(name, SUBJECT): refused}))
        return sent

    def tick(self) -> list[str]:
        """Let time pass; return to whom was sent."""
        return self._give(Tick())

    def deliver(self) -> list[str]:
        """Connect all services; return to whom which copies are sent."""
        sent: list[str] = []
        for name in self.services:
            sent += self._give(LinkUp(persistent=True), name)
            sent += self._give(LinkDown(), name)
        return sent

    def _give(self, message: Any, service: str = "") -> list[str]:
        self._now_us += 1_000
        begun_s = time.process_time()
        _, outputs = self._core.handle(message, Instant(self._now_us, self._now_us), service)
        self.longest_s = max(self.longest_s, time.process_time() - begun_s)
        return [
            each.service
            for each in outputs
            if isinstance(each, ToAdapter) and isinstance(each.order, Publish)
        ]


def _subscription(number: int, source: str) -> ControlEvent:
    stamp = Stamp("bench", 1, number, BEGIN_US, source)
    return ControlEvent(
        stamp=stamp, type=RequestType.SUBSCRIPTION, source=source, dist_list="north",
        filter=f"subject = '{SUBJECT}'", event=None, system="bench", requester="bench",
    )  # fmt: skip


def _heard(matched: tuple[int, ...], sequence: int) -> Heard:
    body = binary.encode(Event.of(SUBJECT, rate=40.0))
    stamp = Stamp("car", 1, sequence, BEGIN_US, "north")
    return Heard(
        stamp=stamp, via=(), subject=SUBJECT, matched=matched, desired=1, expires_us=0,
        priority=0, persistent=True, body=body,
    )  # fmt: skip
