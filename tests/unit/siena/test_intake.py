"""Narrow and wide native subscriptions together, message by message."""

from collections.abc import Callable
from typing import cast

from eventservices.natsclient import Handler
from eventservices.natslink import Listening, NatsLink
from eventservices.natsstamp import header_of
from eventservices.siena import Callback, Counters, Filter, Subscription, where
from eventservices.siena.codec import encode
from eventservices.siena.counters import Aside
from eventservices.siena.intake import Intake
from eventservices.siena.notification import Notification
from eventservices.siena.outlet import Outlet
from eventservices.siena.subjects import Subjects
from eventservices.stamp import Stamp, Stamper
from eventservices.suppress import Suppressor

SUBJECTS = Subjects("s", "kind")
NARROW, WIDE = "siena.s.n.=Speed", "siena.s.n.*"


class Link:
    """Stands for a connection; the test gives it each message."""

    def __init__(self) -> None:
        self.handlers: dict[str, Handler] = {}
        self.on_flush: Callable[[], None] = lambda: None

    async def listen(self, subject: str, handler: Handler) -> Listening:
        self.handlers[subject] = handler
        return Listening(subject, handler)

    async def mute(self, listening: Listening) -> None:
        del self.handlers[listening.subject]

    async def flush(self) -> None:
        self.on_flush()


class World:
    """One party with an intake."""

    def __init__(self) -> None:
        self.link = Link()
        self.counters = Counters()
        self.intake = Intake(cast("NatsLink", self.link), self.counters, Aside(self.counters, 4))
        self.suppressor = Suppressor()
        self.outlet = Outlet(self.suppressor, self.counters, 4)
        self.stamper = Stamper("writer", "s", epoch=1)
        self.narrow: list[object] = []
        self.wide: list[object] = []

    async def subscribe(
        self, what: Filter, kept: list[object], *, force: bool = True
    ) -> Subscription:
        def keep(notification: Notification, _stamp: Stamp | None) -> None:
            kept.append(notification["number"])

        callback: Callback = keep
        subject = SUBJECTS.subscribe_to(what)
        made = Subscription("p", what, callback, subject, self.outlet)
        await self.intake.add(made)
        if force:
            self.intake.in_force(made)
        return made

    async def subscribe_narrow(self) -> Subscription:
        return await self.subscribe(where(("kind", "=", "Speed")), self.narrow)

    async def subscribe_wide(self, *, force: bool = True) -> Subscription:
        return await self.subscribe(where(("number", "any")), self.wide, force=force)

    def copies(self, number: int, *, stamped: bool = True) -> Callable[[str], None]:
        """Return what delivers a copy of one notification by a native subscription."""
        payload = encode(Notification({"kind": "Speed", "number": number}))
        (stamp,) = header_of(self.stamper.next()).values()
        headers = f"NATS/1.0\r\nEvent-Stamp: {stamp}\r\n\r\n".encode() if stamped else b""

        def deliver(by: str) -> None:
            if by in self.link.handlers:
                self.link.handlers[by](NARROW, payload, headers, "")

        return deliver


async def test_either_copy_serves_all_and_the_other_is_recognised() -> None:
    for order in ((NARROW, WIDE), (WIDE, NARROW)):
        world = World()
        await world.subscribe_narrow()
        await world.subscribe_wide()
        for number in range(3):
            deliver = world.copies(number)
            for by in order:
                deliver(by)
        assert (world.narrow, world.wide) == ([0, 1, 2], [0, 1, 2])


async def test_narrow_copies_are_dropped_unread_once_wide_ones_flow() -> None:
    world = World()
    await world.subscribe_narrow()
    await world.subscribe_wide()
    for number in range(100):
        deliver = world.copies(number)
        deliver(WIDE)
        deliver(NARROW)
    assert world.counters.received == 100
    assert world.suppressor.suppressed == 0


async def test_narrow_copies_count_until_the_wide_subscription_is_in_force() -> None:
    world = World()
    await world.subscribe_narrow()
    await world.subscribe_wide(force=False)
    for number in range(3):
        world.copies(number)(NARROW)
    assert world.narrow == [0, 1, 2]


async def test_a_narrow_copy_from_before_the_wide_subscription_counts_after_the_proof_too() -> None:
    world = World()
    await world.subscribe_narrow()
    await world.subscribe_wide()
    world.copies(0)(NARROW)
    assert world.narrow == [0]


async def test_a_wide_copy_on_its_way_while_the_wide_subscription_ends_is_not_lost() -> None:
    world = World()
    await world.subscribe_narrow()
    wide = await world.subscribe_wide()
    world.copies(0)(WIDE)
    deliver = world.copies(1)
    deliver(NARROW)
    world.link.on_flush = lambda: deliver(WIDE)
    await world.intake.remove(wide)
    world.copies(2)(NARROW)
    assert (world.narrow, world.wide) == ([0, 1, 2], [0])
    assert world.intake.native_subjects == (NARROW,)


async def test_the_wide_subscription_goes_on_when_the_narrow_one_ends() -> None:
    world = World()
    narrow = await world.subscribe_narrow()
    await world.subscribe_wide()
    await world.intake.remove(narrow)
    world.copies(0)(WIDE)
    assert (world.narrow, world.wide) == ([], [0])


async def test_copies_without_stamp_each_serve_their_own() -> None:
    world = World()
    await world.subscribe_narrow()
    await world.subscribe_wide(force=False)
    for number in range(3):
        deliver = world.copies(number, stamped=False)
        deliver(NARROW)
        deliver(WIDE)
    assert (world.narrow, world.wide) == ([0, 1, 2], [0, 1, 2])


async def test_copies_without_stamp_serve_all_once_wide_ones_flow() -> None:
    world = World()
    await world.subscribe_narrow()
    await world.subscribe_wide()
    world.copies(0)(WIDE)
    deliver = world.copies(1, stamped=False)
    deliver(NARROW)
    deliver(WIDE)
    assert (world.narrow, world.wide) == ([0, 1], [0, 1])


async def test_removing_twice_is_harmless() -> None:
    world = World()
    narrow = await world.subscribe_narrow()
    await world.intake.remove(narrow)
    await world.intake.remove(narrow)
    assert world.intake.native_subjects == ()
    assert world.link.handlers == {}
