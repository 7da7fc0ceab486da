"""What is announced across a large domain leaves the event loop to others in between."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import pytest
from eventservices.cns import EventChannel, EventType
from eventservices.cns.domains.graph import Digraph
from eventservices.cns.domains.moving.announcements import Announcements

SIZE = 2_000
TYPE = EventType("D", "T")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Client:
    """A client of a channel, as others see it."""

    client: str = "native"
    offers: frozenset[EventType] = frozenset()
    subscriptions: frozenset[EventType] = frozenset()


@dataclass
class Channel:
    """Is a channel that keeps what is announced, and never makes its caller wait."""

    name: str = "c"
    others: list[Client] = field(default_factory=list)
    offered: set[EventType] = field(default_factory=set)
    subscribed: set[EventType] = field(default_factory=set)
    watchers: list[Callable[[], None]] = field(default_factory=list)

    def watch(self, watcher: Callable[[], None]) -> None:
        self.watchers.append(watcher)

    def new_for_suppliers(self) -> "Channel":
        return self

    def new_for_consumers(self) -> "Channel":
        return self

    async def offer_change(
        self, added: frozenset[EventType], removed: frozenset[EventType]
    ) -> None:
        self.offered = (self.offered | added) - removed

    async def subscription_change(
        self, added: frozenset[EventType], removed: frozenset[EventType]
    ) -> None:
        self.subscribed = (self.subscribed | added) - removed


async def test_a_change_far_up_a_long_chain_comes_to_its_end_while_others_run() -> None:
    graph = Digraph((number, number + 1) for number in range(SIZE - 1))
    channels = [Channel() for _ in range(SIZE)]
    channels[0].others = [Client(offers=frozenset({TYPE}))]
    channels[-1].others = [Client(subscriptions=frozenset({TYPE}))]
    for number in range(1, SIZE, 20):
        channels[number].others = [Client(offers=frozenset({EventType("D", str(number))}))]
    announcements = Announcements(lambda: graph)
    turns = 0
    for number, channel in enumerate(channels):
        announcements.add(number, cast("EventChannel", channel))
    while not (TYPE in channels[-1].offered and TYPE in channels[0].subscribed):
        await asyncio.sleep(0)
        turns += 1
    assert turns > 3
    assert len(channels[-1].offered) == 1 + SIZE // 20
    assert channels[0].offered == set()
    channels[0].others = []
    for watcher in channels[0].watchers:
        watcher()
    while TYPE in channels[-1].offered:  # noqa: ASYNC110 - a channel has no event to wait for
        await asyncio.sleep(0)
    await announcements.close()
    assert announcements.failed == 0
