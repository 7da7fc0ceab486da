"""One end of a link, in memory or over a socket."""

from collections.abc import Callable
from typing import Protocol

import msgspec

from fes.link.messages import FromAdapter, Order


class Hello(msgspec.Struct, frozen=True, array_like=True, tag=20):
    """The first message of an adapter.

    Attributes:
        adapter: Adapter identifier.
        service: Event service identifier.
        epoch: Start of the adapter, microseconds since 1970 UTC; distinguishes a restart from a
            reconnect.
        capabilities: As `fes.adapter.Capabilities`, by name.
        version: Version of the link's protocol.
    """

    adapter: str
    service: str
    epoch: int
    capabilities: dict[str, object]
    version: int = 1


Message = FromAdapter | Order | Hello


class LinkEnd(Protocol):
    """Sends messages to the other end.

    `send` never blocks. Control traffic has a lane of its own: it neither waits behind events nor
    is it dropped for them.
    """

    def send(self, message: Message) -> bool:
        """Send a message; return False where it was dropped and counted since the queue is full."""

    async def close(self) -> None:
        """Close the link; idempotent."""

    @property
    def counters(self) -> dict[str, int]:
        """Frames and messages sent, dropped and lost."""


Receiver = Callable[[Message], None]
"""Accepts what the other end sent; must not block."""
