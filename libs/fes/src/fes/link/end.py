"""One end of a link, whichever way it is carried."""

from collections.abc import Callable
from typing import Protocol

import msgspec

from fes.link.messages import FromAdapter, Order


class Hello(msgspec.Struct, frozen=True, array_like=True, tag=20):
    """What an adapter declares first.

    Attributes:
        adapter: Adapter identifier.
        service: Event service identifier.
        epoch: Start of the adapter, microseconds since 1970 UTC; tells a restart from a reconnect.
        capabilities: As `fes.adapter.Capabilities`, by name.
        version: Of the link's protocol.
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
        """Send a message; False where it was dropped and counted because the queue is full."""

    async def close(self) -> None:
        """Close the link; idempotent."""

    @property
    def counters(self) -> dict[str, int]:
        """Frames and messages sent, dropped and lost."""


Receiver = Callable[[Message], None]
"""Accepts what the other end sent; must not block."""
