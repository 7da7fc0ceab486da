"""The proof that a subscription is active at every server of the cluster.

A flush proves it for one's own server only. Servers forward subscriptions and messages to each
other over one ordered route; so once a message sent *after* the subscription has arrived at another
server, that server knows the subscription. A probe connection there, or a client, confirms the
arrival.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

from eventservices.natslink import NatsLink
from eventservices.siena.peers import Peers
from eventservices.siena.witness import Witness

ASK_AGAIN_S = 0.1
ASKED_AT_ONCE = 3

Ask = Callable[[str, int], Awaitable[None]]
"""Sends a probe with a number to the inbox of a probe connection or another connection."""


class Proof:
    """Proves, for all that wait at the same time at once.

    Args:
        link: The connection whose subscriptions are proved.
        witnesses: Connections of ours at other servers.
        peers: Connections of others.
        ask: Sends a probe.
        timeout_s: Longest that a proof lasts.
    """

    def __init__(
        self,
        link: NatsLink,
        witnesses: Sequence[Witness],
        peers: Peers,
        *,
        ask: Ask,
        timeout_s: float,
    ) -> None:
        self._link = link
        self._witnesses = witnesses
        self._peers = peers
        self._ask = ask
        self._timeout_s = timeout_s
        self._lock = asyncio.Lock()
        self._wanted = 0
        self._proved = 0
        self._unproved: tuple[str, ...] = ()
        self._number = 0
        self._asked: set[str] = set()
        self._answers: set[str] = set()
        self._news = asyncio.Event()

    async def wait(self) -> tuple[str, ...]:
        """Return when all that was subscribed before is active.

        Returns:
            Servers that did not confirm in time; usually none.

        Raises:
            NotConnectedError: The own server did not answer.
        """
        self._wanted += 1
        mine = self._wanted
        async with self._lock:
            if self._proved < mine:  # else a round that began after we came has done it
                started_at = self._wanted
                self._unproved = await self._round()
                self._proved = started_at
            return self._unproved

    def answered(self, server: str, number: int) -> None:
        """Accept the answer to a probe."""
        if number == self._number and server in self._asked:
            self._answers.add(server)
            self._news.set()

    async def _round(self) -> tuple[str, ...]:
        self._number += 1
        self._asked.clear()
        self._answers.clear()
        await self._link.flush()
        deadline_s = time.monotonic() + self._timeout_s
        while True:
            missing = self._others() - self._answers
            if not missing:
                return ()
            if time.monotonic() >= deadline_s:
                return tuple(sorted(missing))
            await self._ask_at(missing)
            await self._hear_news(missing)

    def _others(self) -> set[str]:
        servers = {witness.server for witness in self._witnesses} | self._peers.servers
        return servers - {"", self._link.server_id}

    async def _ask_at(self, servers: set[str]) -> None:
        self._asked |= servers
        for server in sorted(servers):
            names = [each.name for each in self._witnesses if each.server == server]
            for name in names or self._peers.on_server(server)[:ASKED_AT_ONCE]:
                await self._ask(name, self._number)

    async def _hear_news(self, missing: set[str]) -> None:
        """Wait until all have answered, or it is time to send the probes again."""
        try:
            async with asyncio.timeout(ASK_AGAIN_S):
                while missing - self._answers:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return
