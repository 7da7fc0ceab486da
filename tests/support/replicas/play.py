"""One seed's town, played from its start to its end."""

import logging
import random
from collections import Counter
from collections.abc import Callable
from functools import partial

from eventservices.stamp import Stamp as NativeStamp
from fes.control import ControlEvent, RequestType, to_event
from fes.filter import Filter
from fes.model import Event, Identity, Stamp, attributes
from support.replicas.calm import agrees, is_calm
from support.replicas.giver import Giver
from support.replicas.natives import Item
from support.replicas.pace import SOON_US
from support.replicas.parts import FAR, SYSTEM
from support.replicas.processes import virtual_time
from support.replicas.story import Asked, Emitted, Story
from support.replicas.town import Town
from support.replicas.trouble import Trouble
from support.simulation.timeline import MS, SECOND

LOAD_US = (2 * SECOND, 14 * SECOND)
"""From when until when clients are at work."""

STEPS = 200_000
"""Most steps of a town while clients are at work."""

REST_US = 45 * SECOND
"""Most time that a town takes to come to rest."""

NAMES = "abcd"
SUB, UNSUB = RequestType.SUBSCRIPTION, RequestType.UNSUBSCRIPTION


def town_of(seed: int, *, traced: bool = False) -> Town:
    """Return the town of a seed, nothing started."""
    rng = random.Random(seed)
    count = rng.choice((2, 2, 3))
    services = {f"s{n}": (rng.random() < 0.75, rng.random() < 0.6) for n in range(count)}
    return Town(seed, services, traced=traced)


def played(town: Town, seed: int, only: str = "") -> "Play":
    """Play a town in its own time, with the product's own log silent; return the play.

    Args:
        town: Nothing started.
        seed: Decides what happens.
        only: The one kind of trouble that there is, with requests that hold all the time; "" has
            all kinds.
    """
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with virtual_time(town):
            play = Play(town, seed, only)
            try:
                play.run()
            finally:
                town.close()
    finally:
        logging.disable(before)
    return play


def reading(number: int) -> Event:
    """Return an event with a number."""
    return Event.of("Reading", number=number)


class Play:
    """Plays a town.

    Args:
        town: Nothing started.
        seed: Decides what happens.
        only: See `played`.
    """

    def __init__(self, town: Town, seed: int, only: str = "") -> None:
        self.town = town
        self.story = Story()
        self._rng = random.Random(seed * 7919 + 1)
        self._only = only
        self._sequences: dict[str, int] = {}
        self.giver = Giver(town, town.services["s0"])
        self._replicas = self._rng.choice((1, 2, 2, 2, 3, 3, 3, 4))
        self.trouble = Trouble(town, self._rng)
        kind = self._rng.choice(("native", "native", "control", "kept", "kept", "given"))
        self._in_trouble = self._rng.choice(list(town.services)), kind
        self._stream_us = self._rng.choice((0, 0, 15 * MS, 15 * MS, 60 * MS))

    def run(self) -> Story:
        """Play; return what happened."""
        town, rng = self.town, self._rng
        for name in town.services:
            town.connect(name)
        for name in NAMES[: self._replicas]:
            skew_us = rng.choice((0, 0, -2, 1, 3)) * SECOND // 2
            town.at(rng.randint(0, 100 * MS), partial(town.start, name, skew_us))
        self._look()
        self._begin()
        for _ in range(0 if self._only else rng.randint(1, 8)):
            self._later(self._ask)
        for _ in range(rng.randint(2, 8)):
            self._later(self._burst)
        if self._stream_us:
            town.at(LOAD_US[0], self._stream)
        self.trouble.on_trouble = self._burst_in_trouble
        self.trouble.on_lost_lead = self._burst_of_kept
        if self._only:
            self.trouble.repeat(self._only)
        else:
            self.trouble.plan()
        town.storm_steps = STEPS
        town.run(town.start_us + LOAD_US[1] + SECOND)
        self._rest()
        self._probe()
        self._count()
        return self.story

    def is_at_rest(self) -> bool:
        """Tell whether nothing is left to do."""
        town = self.town
        return (
            is_calm(town)
            and not self.trouble.pending
            and not len(self.giver)
            and not town.shared.forwarded
            and not any(service.kept for service in town.services.values())
            and all(
                not len(each.runtime.acknowledgements)
                and not each.runtime.multiplexer.counters["replica_waiting"]
                for each in town.adapters.values()
            )
            and all(
                not member.host.committing.uncommitted
                and not len(member.host.core.delivery.custody)
                for member in town.members.values()
            )
        )

    def _count(self) -> None:
        """Count the circumstances that the order of a stream depends on."""
        town = self.town
        town.circumstances += Counter(
            {
                "streams": bool(self._stream_us),
                "slow commits": town.pace.commit != SOON_US,
                "slow whole reads": town.pace.whole != SOON_US,
                "sources with a window": sum(
                    service.kept.deepest > 1 for service in town.services.values()
                ),
            }
        )

    # Requests

    def _begin(self) -> None:
        """Have a few subscriptions that hold to the end."""
        town, rng = self.town, self._rng
        names = list(town.services)
        for source in rng.sample(names, rng.randint(1, len(names))):
            moment = SECOND + rng.randint(0, 200 * MS)
            town.at(moment, partial(self._request, SUB, source, "base", "*", 3))

    def _ask(self) -> None:
        rng = self._rng
        standing = [
            each
            for each in self.story.last_of().values()
            if each.kind is SUB and each.requester != "base"
        ]
        if standing and rng.random() < 0.4:
            old = rng.choice(standing)
            self._request(UNSUB, old.source, old.requester, old.at, old.least)
            return
        source = rng.choice(list(self.town.services))
        lease_us = rng.choice((0, 0, rng.randint(2, 8) * SECOND))
        at = rng.choice(("*", "s?", rng.choice(list(self.town.services))))
        self._request(SUB, source, rng.choice(("c1", "c2")), at, rng.choice((0, 5)), lease_us)

    def _request(
        self, kind: RequestType, source: str, requester: str, at: str, least: int, lease_us: int = 0
    ) -> None:
        town, rng = self.town, self._rng
        text = f"subject = 'Reading' AND number >= {least}"
        sequence = self._next("requests")
        expires_us = town.now_us + lease_us if lease_us else 0
        control = ControlEvent(
            stamp=Stamp("requests", 1, sequence, town.now_us, source),
            system=SYSTEM,
            type=kind,
            source=source,
            dist_list=at,
            filter=text,
            requester=requester,
            version=town.now_us,
            expires_us=expires_us,
        )
        native = rng.random() < 0.4
        members = [member for member in town.members.values() if member.takes_links]
        if not native and not members:
            return
        canonical = Filter.of(text).canonical
        calm = is_calm(town)
        town.note(f"{kind.word} of {source} at {at} from {least} by {requester}, lease {lease_us}")
        self.story.asked.append(
            Asked(kind, source, requester, at, least, town.now_us, expires_us, calm, canonical)
        )
        if native:
            stamp = NativeStamp("requests", 1, sequence, town.now_us, source)
            town.services[source].say(to_event(control), stamp)
        else:
            member = rng.choice(members)
            member.process.do(member.host.inject, control)

    # Events

    def _burst(self) -> None:
        rng = self._rng
        service = rng.choice(list(self.town.services))
        kind = rng.choice(("native", "native", "native", "kept", "kept", "control", "given"))
        pause_us = rng.choice((0, 2 * MS, 30 * MS, 300 * MS))
        for index in range(rng.randint(1, 12)):
            self.town.at(index * pause_us, lambda: self._publish(service, kind))

    def _burst_in_trouble(self) -> None:
        """Publish a few events, of origins that publish in every trouble of this town."""
        rng = self._rng
        service, kind = self._in_trouble
        pause_us = rng.choice((2 * MS, 10 * MS, 100 * MS))
        for index in range(rng.randint(3, 6)):
            self.town.at(index * pause_us, lambda: self._publish(service, kind, origins=2))

    def _burst_of_kept(self, service: str) -> None:
        """Publish persistent events of one origin, so closely that some are on their way."""
        for index in range(8):
            self.town.at(index * 2 * MS, lambda: self._publish(service, "kept", origins=1))

    def _stream(self) -> None:
        """Publish persistent events of few origins, whatever goes wrong meanwhile."""
        town = self.town
        if town.now_us < town.start_us + LOAD_US[1]:
            town.circumstances["events of a stream"] += 1
            self._publish(self._in_trouble[0], "kept", origins=2)
            town.at(self._stream_us, self._stream)

    def _publish(self, service: str, kind: str, origins: int = 4) -> None:
        rng, town = self._rng, self.town
        number, priority = rng.randint(0, 9), rng.choice((0, 0, 0, 5))
        persistent = kind in ("kept", "given") or (kind == "control" and rng.random() < 0.3)
        origin = (
            f"{'car' if kind in ('native', 'kept') else kind}-{service}-{rng.randrange(origins)}"
        )
        others = [name for name in town.services if name != service]
        if kind == "given":
            self.emit("s0", origin, number, priority, persistent, rng.choice(others), given=True)
        elif kind == "control":
            self.emit(service, origin, number, priority, persistent, rng.choice(others))
        else:
            self.emit(service, origin, number, priority, persistent)

    def emit(
        self,
        service: str,
        origin: str,
        number: int,
        priority: int,
        persistent: bool,  # noqa: FBT001 - one of the event's attributes
        to: str = "",
        *,
        given: bool = False,
    ) -> None:
        """Publish an event: natively, in a control event, or as another gateway's gift."""
        town = self.town
        told: dict[str, object] = {attributes.RELIABILITY: 1} if persistent else {}
        if priority:
            told[attributes.PRIORITY] = priority
        event = reading(number)
        event = event.with_attributes(told) if told else event
        home = FAR if given else service
        identity = Identity(origin, 1, self._next(origin))
        stamp = Stamp(*identity, town.now_us, home)
        at = town.services[service]
        kept = given or (not to and persistent and at.keeps)
        held = at.wants(event)
        calm = is_calm(town)
        self.story.emitted.append(
            Emitted(
                identity,
                service,
                number,
                priority,
                persistent,
                kept,
                to,
                town.now_us,
                calm,
                held,
                frozenset(each for each in town.shared.standing.values() if each[2] in at.since_us),
            )
        )
        town.note(f"event {identity} {number} p{priority} at {service} to {to or '-'} calm {calm}")
        if given:
            self.giver.give(stamp, event, priority, to)
        elif to:
            self._say(stamp, event, service, to)
        else:
            at.emit(Item(event, NativeStamp(*identity, town.now_us, home)))

    def _say(self, stamp: Stamp, event: Event, service: str, to: str) -> None:
        control = ControlEvent(
            stamp=stamp,
            system=SYSTEM,
            type=RequestType.PUBLICATION,
            source=service,
            dist_list=to,
            event=event,
        )
        native = NativeStamp(stamp.origin, 1, stamp.sequence, stamp.time_us, service)
        self.town.services[service].say(to_event(control), native)

    # The course

    def _rest(self) -> None:
        town = self.town
        end_us = town.now_us + REST_US
        while town.now_us < end_us and not town.broken:
            town.run(town.now_us + SECOND // 2)
            if self.is_at_rest():
                break
        else:
            town.broken.append("no rest: something is left to do")
        town.run(town.now_us + SECOND)

    def _probe(self) -> None:
        """See once more, with all well, that all arrives that is asked for, and nothing else."""
        for service in self.town.services:
            for number in (1, 9):
                self.emit(service, f"probe-{service}", number, 0, persistent=False)
                self.emit(service, f"probe-p-{service}", number, 0, persistent=True)
        self.town.run(self.town.now_us + SECOND)
        for _ in range(3):  # of a row that ends just now not all know yet
            if not agrees(self.town):
                self.town.run(self.town.now_us + SECOND // 5)

    def _look(self) -> None:
        if is_calm(self.town):
            self.story.calm_us.append(self.town.now_us)
        self.town.at(SECOND // 4, self._look)

    def _later(self, act: Callable[[], None]) -> None:
        self.town.at(self._rng.randint(*LOAD_US), act)

    def _next(self, name: str) -> int:
        self._sequences[name] = number = self._sequences.get(name, 0) + 1
        return number
