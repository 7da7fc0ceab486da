"""What tests of SIENA's native clients share: an inbox, and waiting for what is on its way."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from eventservices.servers import NatsServer
from eventservices.siena import Connection, Notification, where
from eventservices.stamp import Stamp

Eventually = Callable[[Callable[[], bool]], Awaitable[None]]
Connect = Callable[..., Awaitable[Connection]]
INDEX = "FES_Subject"


class Cluster(Protocol):
    """Two servers that are one service."""

    a: NatsServer
    b: NatsServer
    urls: list[str]


class Inbox:
    """Keeps what a callback was given; full with `size` notifications."""

    def __init__(self, size: int = 1) -> None:
        self.size = size
        self.events: list[Notification] = []
        self.stamps: list[Stamp | None] = []
        self.full = asyncio.Event()

    def __call__(self, notification: Notification, stamp: Stamp | None) -> None:
        self.events.append(notification)
        self.stamps.append(stamp)
        if len(self.events) >= self.size:
            self.full.set()

    def values(self, name: str) -> list[Any]:
        return [event[name] for event in self.events]


def ignore(*_: object) -> None:
    """Do nothing."""


async def flushed(publisher: Connection, subscriber: Connection) -> None:
    """Return when all that was published before has been delivered, or never will be."""
    inbox = Inbox()
    client = subscriber.client("flush")
    await client.subscribe(where(("flush", "any")), inbox)
    other = publisher.client("flusher")
    await other.publish({"flush": 1})
    await asyncio.wait_for(inbox.full.wait(), 30)
    await client.close()
    await other.close()
