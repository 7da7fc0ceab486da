"""Dialling: keeps a link to every replica of a gateway, also to those that start later."""

import asyncio
import ipaddress
import logging
import random
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from eventservices.addresses import split_url

from fes.adapter.replicas.replica_link import Line
from fes.link.end import Hello
from fes.link.websocket import Dialler, SocketEnd

REPLICAS: Final = 16
"""Most addresses that are dialled; further ones are not dialled, but counted."""

RESOLVE_S: Final = 2.0
"""Pause between two look-ups of the gateway's names."""

SOONER_S: Final = 0.2
"""The pause while no address is known."""

RESOLVE_TIMEOUT_S: Final = 5.0
PORTS: Final = {"ws": 80, "wss": 443}

_log = logging.getLogger(__name__)

Resolve = Callable[[str], Awaitable[frozenset[str]]]
"""Returns the addresses of a host; raises OSError where they cannot be resolved now."""


class Address(NamedTuple):
    """Where a replica listens."""

    host: str
    port: int


@dataclass(slots=True)
class _Dialled:
    dialler: Dialler
    line: Line
    task: asyncio.Task[None]


class Dialling:
    """Keeps a link to every address that the names of a gateway resolve to.

    An address that a name no longer resolves to keeps its link until that breaks, and is not
    dialled again.

    Args:
        urls: `ws://host:port/link`, one or several.
        line: Returns the receiver of a further link.
        hello: Returns the adapter's hello.
        greet: Called with each link that is up.
        beyond: Called with the number of addresses that are not dialled since they are too many.
        rng: For the jitter of the back-off.
        resolve: Looks a host up.
        refused: Called with the reason why a replica refused a link.
        granted: Called when a replica accepts a link.
    """

    def __init__(
        self,
        urls: tuple[str, ...],
        line: Callable[[], Line],
        hello: Callable[[], Hello],
        greet: Callable[[SocketEnd], object],
        beyond: Callable[[int], None],
        rng: random.Random,
        resolve: Resolve | None = None,
        *,
        refused: Callable[[str], None] | None = None,
        granted: Callable[[], None] | None = None,
    ) -> None:
        self._refused = refused
        self._granted = granted
        self._urls = urls
        self._line = line
        self._hello = hello
        self._greet = greet
        self._beyond = beyond
        self._rng = rng
        self._resolve = resolve or addresses_of
        self._dialled: dict[Address, _Dialled] = {}
        self._known: dict[str, frozenset[str]] = {}
        self._left_out: frozenset[Address] = frozenset()

    @property
    def addresses(self) -> tuple[Address, ...]:
        """The addresses that are dialled now."""
        return tuple(self._dialled)

    async def run(self) -> None:
        """Dial until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                found = await self._look_up()
                self._give_up(found)
                self._dial(found, group)
                await asyncio.sleep(RESOLVE_S if self._dialled else SOONER_S)

    async def _look_up(self) -> dict[Address, str]:
        """Return every address, each with its URL."""
        found: dict[Address, str] = {}
        for url in self._urls:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port or PORTS.get(parts.scheme, 80)
            with suppress(OSError, TimeoutError, UnicodeError):  # it may still have its addresses
                async with asyncio.timeout(RESOLVE_TIMEOUT_S):
                    self._known[host] = await self._resolve(host)
            for address in sorted(self._known.get(host, ())):
                found.setdefault(Address(address, port), url)
        return found

    def _give_up(self, found: dict[Address, str]) -> None:
        for address, dialled in tuple(self._dialled.items()):
            if address not in found and not dialled.dialler.linked:
                dialled.task.cancel()
                del self._dialled[address]

    def _dial(self, found: dict[Address, str], group: asyncio.TaskGroup) -> None:
        new = [address for address in found if address not in self._dialled]
        room = max(0, REPLICAS - len(self._dialled))
        for address in new[:room]:
            self._dialled[address] = self._begin(address, found[address], group)
        left_out = frozenset(new[room:])
        if left_out - self._left_out:
            _log.warning("too_many_replicas", extra={"not_dialled": sorted(left_out)})
        self._left_out = left_out
        self._beyond(len(left_out))

    def _begin(self, address: Address, url: str, group: asyncio.TaskGroup) -> _Dialled:
        line = self._line()
        told = {"adapter": self._hello().adapter, **address._asdict()}

        def up(end: SocketEnd) -> None:
            end.displaced_with(line.displaced)
            line.up(end)
            self._greet(end)
            _log.info("link_established", extra=told)

        def down(reason: str) -> None:
            _log.warning("link_lost", extra={**told, "reason": reason})
            line.down()

        dialler = Dialler(
            url, self._hello, up, down, self._rng, address.host, self._refused, self._granted
        )
        task = group.create_task(dialler.run(line.receive), name=f"dialling {address.host}")
        return _Dialled(dialler, line, task)


def links(text: str) -> tuple[str, ...]:
    """Return the link addresses in a text that has one or several, separated by commas.

    Raises:
        ValueError: One of them is not a link's address.
    """
    urls = tuple(url.strip() for url in text.split(","))
    for url in urls:
        parts = split_url(url)
        if parts.scheme not in PORTS or not parts.hostname:
            raise ValueError(f"{url!r} is not an address of a link")
    return urls


async def addresses_of(host: str) -> frozenset[str]:
    """Return the addresses of a host.

    Raises:
        OSError: They cannot be resolved now.
    """
    with suppress(ValueError):
        return frozenset((str(ipaddress.ip_address(host)),))
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, None, family=socket.AF_INET, type=socket.SOCK_STREAM)
    return frozenset(str(address[0]) for *_, address in found)
