"""One native subscription, whatever client it is made with."""

import contextlib
from dataclasses import dataclass, field

import nats.aio.subscription
import nats.errors

from eventservices.natsclient import Handler, NatsClient


@dataclass(slots=True, eq=False)
class Listening:
    """One native subscription of a link; it survives reconnection and rebuilding."""

    subject: str
    handler: Handler
    queue: str = ""
    client: NatsClient | None = field(default=None, repr=False)
    native: nats.aio.subscription.Subscription | None = field(default=None, repr=False)

    async def begin(self, client: NatsClient) -> None:
        """Subscribe with a client, which replaces the one before."""
        native = await client.listen(self.subject, self.handler, self.queue)
        self.client, self.native = client, native

    async def end(self) -> None:
        """Unsubscribe with the client that subscribed last."""
        client, self.client = self.client, None
        native, self.native = self.native, None
        if client is not None and native is not None and not client.is_closed:
            client.forget(native)
            with contextlib.suppress(nats.errors.Error):  # then the connection ended it
                await native.unsubscribe()

    async def stop(self) -> None:
        """Unsubscribe, and have the handler called for what the server sent before."""
        if self.client is not None and self.native is not None and not self.client.is_closed:
            with contextlib.suppress(nats.errors.Error):
                await self.native.unsubscribe()
