"""Where adapters of other processes and containers dial in: `ws://host:port/link`."""

import asyncio
import logging

from fes.errors import LinkError
from fes.link.end import Hello, Message, Receiver
from fes.link.messages import Refuse
from fes.link.websocket import MAX_FRAME_BYTES, SocketEnd
from websockets.asyncio.server import Server, ServerConnection, serve

from fes_gateway.host import GatewayHost

HELLO_S = 5.0

_log = logging.getLogger(__name__)


class LinkServer:
    """Takes the links of adapters that live elsewhere.

    Args:
        hosts: The gateways of this process, by identifier.
        host: Address to listen on.
        port: Port; 0 has the system choose one.
    """

    def __init__(self, hosts: dict[str, GatewayHost], host: str, port: int) -> None:
        self._hosts = hosts
        self._host = host
        self._port = port
        self._server: Server | None = None
        self._linked: dict[str, SocketEnd] = {}
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
            ping_interval=5,
            ping_timeout=5,
        )

    async def stop(self) -> None:
        """Close every link and listen no more; harmless twice."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _take(self, socket: ServerConnection) -> None:
        hello: asyncio.Future[Hello] = asyncio.get_running_loop().create_future()
        receivers: list[Receiver] = [lambda message: _first(hello, message)]
        end = SocketEnd(socket, lambda message: _last(receivers, message))
        carrying = asyncio.create_task(end.run())
        try:
            async with asyncio.timeout(HELLO_S):
                said = await hello
            host = self._host_of(said)
            self._check_free(said)
            self._linked[said.adapter] = end
            receivers.append(host.receiver(said.service))
            host.attach(said.service, end)
            try:
                await carrying
            finally:
                del self._linked[said.adapter]
                host.detach(said.service, "the link broke")
        except (LinkError, TimeoutError) as error:
            self.refused += 1
            _log.warning("link refused", extra={"reason": str(error) or "no hello in time"})
            end.send(Refuse(str(error) or "no hello in time"))
            await asyncio.sleep(0.2)
        finally:
            carrying.cancel()
            await asyncio.gather(carrying, return_exceptions=True)

    def _host_of(self, hello: Hello) -> GatewayHost:
        for host in self._hosts.values():
            state = host.adapters.get(hello.service)
            if state is not None and state.id == hello.adapter:
                return host
        raise LinkError(
            f"no adapter {hello.adapter!r} at {hello.service!r} belongs to this gateway"
        )

    def _check_free(self, hello: Hello) -> None:
        if hello.adapter in self._linked:
            raise LinkError(f"adapter {hello.adapter!r} is linked already")


def _first(hello: asyncio.Future[Hello], message: Message) -> None:
    if hello.done():
        return
    if isinstance(message, Hello):
        hello.set_result(message)
    else:
        hello.set_exception(LinkError("the first message is no hello"))


def _last(receivers: list[Receiver], message: Message) -> None:
    receivers[-1](message)
