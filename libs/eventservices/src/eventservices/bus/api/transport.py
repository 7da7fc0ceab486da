"""How a client reaches its bus: in one process, or over NATS."""

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from eventservices.bus.binding.bus import EventBus
from eventservices.bus.binding.guests import Receive
from eventservices.bus.binding.pool import PoolSettings, WorkerPool
from eventservices.bus.wire import calls
from eventservices.bus.wire.calls import Call, Delivery
from eventservices.bus.wire.messages import MessageError
from eventservices.bus.wire.subjects import Subjects, check_token
from eventservices.natslink import LinkOptions, NatsLink

MOST_WAITING = 100_000
"""Most that waits for a client's listeners; the bus sends no more than it has confirmed anyway."""


class Transport(Protocol):
    """Carries calls to a bus and what it sends back.

    Attributes:
        confirms: Whether the client has to confirm deliveries.
        bus_id: Identifier of the bus.
    """

    confirms: bool
    bus_id: str

    async def open(self, receive: Receive) -> None:
        """Connect.

        Raises:
            NotConnectedError: The broker does not answer.
        """

    async def send(self, call: Call) -> None:
        """Send a call.

        Raises:
            NotConnectedError: The broker is away.
        """

    async def close(self) -> None:
        """Disconnect; idempotent."""


class LocalTransport:
    """Reaches a bus of this process.

    Args:
        bus: Open.
        client: Identifier, unique at the bus.
    """

    confirms = False

    def __init__(self, bus: EventBus, client: str) -> None:
        self.bus_id = bus.id
        self._bus = bus
        self._client = client

    async def open(self, receive: Receive) -> None:
        """Attach to the bus."""
        self._bus.attach(self._client, receive)

    async def send(self, call: Call) -> None:
        """Have the bus accept a call."""
        self._bus.call(self._client, call)

    async def close(self) -> None:
        """Do nothing: leaving was a call."""


class NatsTransport:
    """Reaches a bus over NATS.

    Args:
        urls: Addresses of equal NATS servers.
        building, bus: The bus.
        client: Identifier, unique at the bus.
    """

    confirms = True

    def __init__(self, urls: Sequence[str], building: str, bus: str, client: str) -> None:
        self._subjects = Subjects(building)
        self.bus_id = check_token(bus, "bus")
        self._client = check_token(client, "client")
        self._link = NatsLink(urls, LinkOptions(name=f"evbus/{building}/{bus}/{client}"))
        self._pool = WorkerPool("client", PoolSettings(least=2, most=2, limit=MOST_WAITING))
        self._receive: Receive | None = None
        self.malformed = 0

    async def open(self, receive: Receive) -> None:
        """Connect."""
        self._receive = receive
        await self._link.open()
        await self._pool.__aenter__()
        for client in (self._client, "all"):
            await self._link.listen(self._subjects.push(self.bus_id, client), self._take)
        await self._link.flush()
        self._link.on_connected.append(self._connected_again)

    async def send(self, call: Call) -> None:
        """Publish a call."""
        subject = self._subjects.call(self.bus_id, self._client)
        await self._link.publish(subject, calls.encode(call))

    async def close(self) -> None:
        """Disconnect."""
        await self._pool.__aexit__(None, None, None)
        await self._link.close()

    def _connected_again(self) -> None:
        # The bus's notice of its restart may be among what was lost: a call brings it again.
        self._pool.put("answers", partial(self.send, Call(0, calls.Alive())))

    def _take(self, subject: str, payload: bytes, headers: bytes, reply: str) -> None:
        del subject, headers, reply
        try:
            push = calls.decode_push(payload)
        except MessageError:
            self.malformed += 1
            return
        if self._receive is not None:
            key = str(push.sink) if isinstance(push, Delivery) else "answers"
            self._pool.put(key, partial(self._receive, push))
