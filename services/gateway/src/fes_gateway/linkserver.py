"""The server that adapters of other processes and containers dial: `ws://host:port/link`."""

import asyncio
import logging
from typing import Any

from eventservices.ending import ended
from fes.errors import LinkError
from fes.link.end import Hello, Message, Receiver
from fes.link.messages import Refuse
from fes.link.websocket import CLOSE_S, MAX_FRAME_BYTES, SocketEnd
from websockets.asyncio.server import Server, ServerConnection, serve

from fes_gateway.host import GatewayHost
from fes_gateway.linkguard import LinkGuard

VERSION = 1
"""Version of the link's protocol."""

HELLO_S = 5.0
"""Longest wait for the opening handshake, and then for the hello."""

STRANGERS = 64
"""Most connections that have not sent a hello; a further one replaces the oldest."""

TELLING_S = 0.2
"""Time for a refusal to be sent."""

_log = logging.getLogger(__name__)


class LinkServer:
    """Accepts the links of adapters in other processes.

    A refused link is counted and logged by the gateway that it addressed, or by the first of the
    process.

    Args:
        hosts: The gateways of this process, by identifier.
        host: Address to listen on.
        port: Port; with 0 the system chooses one.

    Attributes:
        refused: Links refused, or ended since the other end broke the protocol.
    """

    def __init__(self, hosts: dict[str, GatewayHost], host: str, port: int) -> None:
        self._hosts = hosts
        self._host = host
        self._port = port
        self._server: Server | None = None
        self._strangers: dict[_Link, None] = {}
        self.refused = 0

    @property
    def port(self) -> int:
        """The port that it listens on."""
        if self._server is None:
            return self._port
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    async def start(self) -> None:
        """Listen."""
        self._server = await serve(
            self._take,
            self._host,
            self._port,
            compression=None,
            max_size=MAX_FRAME_BYTES,
            open_timeout=HELLO_S,
            ping_interval=5,
            ping_timeout=5,
            close_timeout=CLOSE_S,
        )

    async def stop(self) -> None:
        """Close every link and stop listening; idempotent."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _take(self, socket: ServerConnection) -> None:
        link = _Link(socket)
        host: GatewayHost | None = None
        try:
            said = await self._hello(link)
            host = self._hosts.get(said.adapter.removesuffix(f".{said.service}"))
            await self._serve(said, link)
        except LinkError as error:
            self._refuse(link, host, str(error))
            await asyncio.sleep(TELLING_S)
        except Exception as error:  # noqa: BLE001 - the adapter is notified, and dials again
            _log.exception("link_failed")
            self._refuse(link, host, f"link failed: {error!r}")
        finally:
            await link.end()

    async def _hello(self, link: "_Link") -> Hello:
        while len(self._strangers) >= STRANGERS:  # adapters send a hello at once: drop the oldest
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.give_way()
        self._strangers[link] = None
        try:
            return await link.hello()
        finally:
            self._strangers.pop(link, None)

    async def _serve(self, said: Hello, link: "_Link") -> None:
        host = self._host_of(said)
        reason = "the link broke"
        try:
            link.socket_end.displaced_with(host.displaced)
            host.attach(said.service, link.socket_end, said.capabilities)
            link.receiver = LinkGuard(host, said.service)
            await link.transfer
        except LinkError as error:
            reason = str(error)
            raise
        finally:
            host.detach(said.service, reason)

    def _host_of(self, hello: Hello) -> GatewayHost:
        if hello.version != VERSION:
            raise LinkError(f"link protocol {hello.version} is not spoken here, {VERSION} is")
        for host in self._hosts.values():
            state = host.adapters.get(hello.service)
            if state is not None and state.id == hello.adapter:
                if state.linked:
                    raise LinkError(f"adapter {hello.adapter[:100]!r} is linked already")
                return host
        raise LinkError(
            f"no adapter {hello.adapter[:100]!r} at {hello.service[:100]!r} belongs to this gateway"
        )

    def _refuse(self, link: "_Link", host: GatewayHost | None, reason: str) -> None:
        self.refused += 1
        _log.warning("link refused", extra={"reason": reason})
        (host or next(iter(self._hosts.values()))).refuse_link(reason)
        link.socket_end.send(Refuse(reason))


class _Link:
    """One connection: it waits for a hello, then passes messages to a gateway."""

    def __init__(self, socket: ServerConnection) -> None:
        self._said: asyncio.Future[Hello] = asyncio.get_running_loop().create_future()
        self.receiver: Receiver = self._first
        self.socket_end = SocketEnd(socket, self._take)
        self.transfer = asyncio.create_task(self.socket_end.run())

    async def hello(self) -> Hello:
        """Return the hello.

        Raises:
            LinkError: None came in time, or something else came first.
        """
        either: list[asyncio.Future[Any]] = [self._said, self.transfer]
        await asyncio.wait(either, timeout=HELLO_S, return_when=asyncio.FIRST_COMPLETED)
        if self._said.done():
            return self._said.result()
        if self.transfer.done():
            self.transfer.result()
            raise LinkError("the link ended before a hello")
        raise LinkError("no hello in time")

    def give_way(self) -> None:
        """Make `hello` fail, since others that may send one are waiting."""
        if not self._said.done():
            self._said.set_exception(LinkError(f"silent, and {STRANGERS} others came later"))

    async def end(self) -> None:
        """End the connection."""
        self._said.cancel()
        await ended(self.transfer)

    def _take(self, message: Message) -> None:
        self.receiver(message)

    def _first(self, message: Message) -> None:
        if self._said.done():
            return  # an adapter reports again once it receives its desired state
        if isinstance(message, Hello):
            self._said.set_result(message)
        else:
            raise LinkError("the first message is not a hello")
