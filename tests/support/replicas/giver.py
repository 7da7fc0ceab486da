"""Another gateway that gives events into custody, and repeats them until they are acknowledged."""

from collections import defaultdict
from dataclasses import dataclass, field

from eventservices.stamp import Stamp as NativeStamp
from fes.control import ControlEvent, RequestType, read_signal, to_event
from fes.control.signal import Acknowledgement
from fes.model import Event, Stamp
from support.replicas.natives import Service
from support.replicas.parts import FAR, GATEWAY, SYSTEM
from support.replicas.town import Town
from support.simulation.timeline import MS, SECOND

GIVER = "n"
IN_FLIGHT = 3
AGAIN_US = 2 * SECOND


@dataclass
class Gift:
    """One row of the giver."""

    row: int
    stamp: Stamp
    event: Event
    destination: str


@dataclass
class Order:
    """The rows of one origin, priority and destination, oldest first."""

    waiting: list[Gift] = field(default_factory=list)
    sent: list[Gift] = field(default_factory=list)
    sent_us: int = 0


class Giver:
    """Gives events to the gateway at one event service.

    Args:
        town: Where it stands.
        service: Where it speaks.
    """

    def __init__(self, town: Town, service: Service) -> None:
        self._town = town
        self._service = service
        self._orders: defaultdict[tuple[str, int, str], Order] = defaultdict(Order)
        self._row = 0
        self._sequence = 0
        service.on_control.append(self._hear)
        town.at(SECOND, self._tick)

    def __len__(self) -> int:
        """Return how many rows wait for an acknowledgement."""
        return sum(len(order.waiting) + len(order.sent) for order in self._orders.values())

    def give(self, stamp: Stamp, event: Event, priority: int, destination: str) -> None:
        """Give an event into custody."""
        self._row += 1
        gift = Gift(self._row, stamp, event, destination)
        order = self._orders[stamp.origin, priority, destination]
        order.waiting.append(gift)
        self._pump(order)

    def _pump(self, order: Order) -> None:
        while order.waiting and len(order.sent) < IN_FLIGHT:
            gift = order.waiting.pop(0)
            after = order.sent[-1].row if order.sent else 0
            order.sent.append(gift)
            order.sent_us = self._town.now_us
            self._say(gift, after)

    def _say(self, gift: Gift, after: int) -> None:
        control = ControlEvent(
            stamp=gift.stamp,
            system=SYSTEM,
            type=RequestType.PUBLICATION,
            source=FAR,
            dist_list=gift.destination,
            event=gift.event,
            path=(self._service.name,),
            via=(FAR,),
            next_gateway=GATEWAY,
            giver=GIVER,
            row=gift.row,
            after=after,
        )
        self._sequence += 1
        native = self.native(self._sequence)
        self._town.over(
            ("giver", self._service.name), lambda: self._service.say(to_event(control), native)
        )

    def native(self, sequence: int) -> NativeStamp:
        """Return the stamp that it says a control event under."""
        return NativeStamp(GIVER, 1, sequence, self._town.now_us, self._service.name)

    def _hear(self, event: Event) -> None:
        signal = read_signal(event, SYSTEM)
        if not isinstance(signal, Acknowledgement) or signal.to != GIVER:
            return
        rows = set(signal.rows)

        def acknowledged() -> None:
            for order in self._orders.values():
                order.sent = [gift for gift in order.sent if gift.row not in rows]
                self._pump(order)

        self._town.at(self._town.rng.randint(MS, 3 * MS), acknowledged)

    def _tick(self) -> None:
        for order in self._orders.values():
            if order.sent and self._town.now_us - order.sent_us >= AGAIN_US:
                order.waiting[:0] = order.sent
                order.sent = []
                self._pump(order)
        self._town.at(SECOND, self._tick)
