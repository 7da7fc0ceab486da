"""How a client of one form and style joins a channel."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from eventservices.cns.channel import EventChannel


class Proxy(Protocol):
    """Is what a client is connected to."""

    async def destroy(self) -> None:
        """End it for good."""


P = TypeVar("P", bound=Proxy)


@dataclass(frozen=True, slots=True)
class Joining(Generic[P]):
    """How a client of one form and style joins a channel.

    Attributes:
        obtain: Returns a new proxy of the channel's default admin.
        connect: Connects the client to the proxy.
    """

    obtain: Callable[[EventChannel], P]
    connect: Callable[..., Awaitable[None]]

    async def join(self, channel: EventChannel, client: object, **options: bool) -> P:
        """Return the proxy to which a client is connected; errors as of both.

        Args:
            channel: The channel.
            client: What the proxy accepts.
            options: Of the connect operation.
        """
        proxy = self.obtain(channel)
        await or_destroy(proxy, self.connect(proxy, client, **options))
        return proxy


async def or_destroy(proxy: Proxy, connecting: Awaitable[None]) -> None:
    """Connect a client; where it is refused, its proxy ends and counts for nothing any more."""
    try:
        await connecting
    except BaseException:
        await proxy.destroy()
        raise
