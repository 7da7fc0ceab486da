"""An adapter's switchboard between replicas that number by themselves and an inside that keeps all.

Nothing here is asynchronous: links are lists, and time passes when a test says so.
"""

from fes.adapter.inbound.acknowledgements import Acknowledgements
from fes.adapter.replicas import Multiplexer
from fes.control import ControlEvent, RequestType, to_event
from fes.link.end import Message
from fes.link.messages import (
    Announce,
    Desired,
    Done,
    Heard,
    HeardControl,
    Order,
    Publish,
    Subscribe,
    Unannounce,
    Unsubscribe,
    View,
)
from fes.link.rendezvous import owner
from fes.model import Event, Stamp, binary


class Inside:
    """The adapter: orders and drops as they come, and what is held natively because of them."""

    def __init__(self) -> None:
        self.acknowledgements = Acknowledgements()
        self.orders: list[Order] = []
        self.drops: list[tuple[Message, str]] = []
        self.links = 0
        self.held: dict[int, str | bytes] = {}

    def take(self, order: Order) -> None:
        self.orders.append(order)
        match order:
            case Desired():
                self.held = {one.number: one.filter for one in order.subscriptions}
                self.held |= {one.number: one.body for one in order.announcements}
            case Subscribe():
                self.held[order.number] = order.filter
            case Announce():
                self.held[order.number] = order.body
            case Unsubscribe() | Unannounce():
                del self.held[order.number]

    def dropped(self, message: Message, reason: str) -> None:
        self.drops.append((message, reason))

    def linked(self) -> None:
        self.links += 1

    @property
    def filters(self) -> list[str]:
        """What is subscribed to now, each as often as it is."""
        return sorted(what for what in self.held.values() if isinstance(what, str))

    def number(self, filter_: str) -> int:
        """Return the adapter's number of a filter."""
        return next(number for number, what in self.held.items() if what == filter_)


class Replica:
    """A replica and the link to it; its numbers begin where no other's do."""

    counters: dict[str, int] = {}  # noqa: RUF012 - nothing is counted

    def __init__(self, bench: "Bench", name: str) -> None:
        self.name = name
        self.line = bench.board.line()
        self.got: list[Message] = []
        self.full = False
        self.version = 10 * (1 + len(bench.replicas))
        self.wants: dict[str, int] = {}
        self._bench = bench
        self._number = 1000 * (1 + len(bench.replicas))

    def send(self, message: Message) -> bool:
        if not self.full:
            self.got.append(message)
        return not self.full

    async def close(self) -> None:
        """Nothing is to be closed."""

    def link(self, *filters: str, view: View | None = None) -> None:
        """Link anew, tell who is there, and want some filters."""
        self.up(view)
        self.desire(*filters)

    def up(self, view: View | None = None) -> None:
        self.line.up(self)
        view = view or self._bench.newest
        if view is not None:
            self.view(view)

    def down(self) -> None:
        self.line.down()

    def view(self, view: View) -> None:
        self.line.receive(View(view.number, self.name, view.leader, view.members))

    def desire(self, *filters: str) -> None:
        """Say the whole desired state, under new numbers."""
        self.version += 1
        self.wants = {filter_: self._next() for filter_ in filters}
        orders = tuple(Subscribe(n, text, self.version) for text, n in self.wants.items())
        self.line.receive(Desired(self.version, orders, ()))

    def subscribe(self, filter_: str) -> int:
        self.version += 1
        number = self.wants[filter_] = self._next()
        self.line.receive(Subscribe(number, filter_, self.version))
        return number

    def unsubscribe(self, filter_: str) -> int:
        self.version += 1
        number = self.wants.pop(filter_)
        self.line.receive(Unsubscribe(number, self.version))
        return number

    def publish(self, origin: str = "car", row: int = 0) -> None:
        self.line.receive(Publish(stamp(origin), (), 0, b"", 0, row))

    @property
    def heard(self) -> list[Heard]:
        return [message for message in self.got if isinstance(message, Heard)]

    @property
    def sequences(self) -> list[int]:
        """Sequence numbers of what it was told was heard."""
        return [message.stamp.sequence for message in self.heard]

    @property
    def done(self) -> list[Done]:
        return [message for message in self.got if isinstance(message, Done)]

    def _next(self) -> int:
        self._number += 1
        return self._number


class Bench:
    """A switchboard at work."""

    def __init__(self, *names: str) -> None:
        self.now_s = 1000.0
        self.inside = Inside()
        self.board = Multiplexer(self.inside, lambda: self.now_s)
        self.replicas: dict[str, Replica] = {}
        self.newest: View | None = None
        for name in names:
            self.replicas[name] = Replica(self, name)
        if names:
            self.change(1, *names)

    def __getitem__(self, name: str) -> Replica:
        """Return a replica."""
        return self.replicas[name]

    def change(self, number: int, *members: str, leader: str = "") -> None:
        """Have another view; replicas tell it when they are linked or asked to."""
        self.newest = View(number, "", leader or members[0], members)

    @property
    def view(self) -> View:
        """The newest view, where replicas have one."""
        assert self.newest is not None
        return self.newest

    def hear(
        self, *matched: str, origin: str = "car", sequence: int = 1, token: int = 0, **more: int
    ) -> bool:
        """Hear an event that belongs to some filters."""
        numbers = tuple(self.inside.number(filter_) for filter_ in matched)
        of = Stamp(origin, 1, sequence, 5, "home")
        persistent, priority = bool(more.get("persistent")), more.get("priority", 0)
        return self.board.hear(
            Heard(of, (), "Speed", numbers, 0, 0, priority, persistent, b"", 0, token)
        )

    def hear_control(self, event: Event, publisher: str = "client", **more: bool) -> bool:
        """Hear a control event."""
        publication = event.parameter("Type") == RequestType.PUBLICATION
        control = HeardControl(stamp(publisher), binary.encode(event), publication, **more)
        return self.board.hear_control(control, event)

    def pass_s(self, seconds: float) -> None:
        """Let time pass."""
        self.now_s += seconds
        self.board.tick()

    @property
    def reasons(self) -> list[str]:
        """Why something was dropped, in order."""
        return [reason for _, reason in self.inside.drops]


def stamp(origin: str, sequence: int = 1) -> Stamp:
    """Return a stamp of an origin."""
    return Stamp(origin, 1, sequence, 5, "home")


def control(kind: RequestType, origin: str = "car", row: int = 0, reliability: int = 0) -> Event:
    """Return a control event as it is heard."""
    inner = Event.of("Speed", {"rate": 1.0}, {"Reliability": reliability} if reliability else {})
    return to_event(
        ControlEvent(
            stamp=stamp(origin),
            system="test",
            type=kind,
            source="home",
            dist_list="away",
            filter="Speed",
            event=inner if kind is RequestType.PUBLICATION else None,
            giver="g9" if row else "",
            row=row,
        )
    )


def linked(*names: str, filters: tuple[str, ...] = ("x",)) -> Bench:
    """Return a bench whose replicas are linked, and want the same; the first of them leads."""
    bench = Bench(*names)
    for replica in bench.replicas.values():
        replica.link(*filters)
        replica.got.clear()
    return bench


def origin_of(name: str, members: str) -> str:
    """Return an origin that belongs to a replica."""
    return next(f"o{n}" for n in range(1000) if owner(f"o{n}", tuple(members)) == name)


def controls(replica: Replica) -> list[HeardControl]:
    return [message for message in replica.got if isinstance(message, HeardControl)]
