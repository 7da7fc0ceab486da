"""The directory: what a process knows of the broker's tables, and how it requests more."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from eventservices.cosmic.binding import Binding, ask, check_etag, preferred_etag
from eventservices.cosmic.ccp import Configuration
from eventservices.cosmic.frame import Frame
from eventservices.cosmic.identifier import Etag
from eventservices.cosmic.settings import BusSettings
from eventservices.cosmic.subject import subject_uid
from eventservices.errors import MalformedError, NotConnectedError

Send = Callable[[Frame], None]
"""Puts a frame of the protocol on the bus, soon."""

ANSWERS: Final = (Etag.CCP_SSI, Etag.SUPPLY_ETAG_NEW_BP)
"""Etags of the broker's frames."""


class Directory:
    """Keeps etags by subject, and queries the broker for those it does not know.

    Args:
        settings: Etags that are known beforehand; how often and how long to query.
        send: Puts a frame on the bus.

    Raises:
        MalformedError: An etag is reserved, out of range, or listed twice.
    """

    def __init__(self, settings: BusSettings, send: Send) -> None:
        self._settings = settings
        self._send = send
        self._etags: dict[bytes, int] = {}
        self._asked: dict[bytes, tuple[Binding, asyncio.Future[int]]] = {}
        self._configuring: tuple[Configuration, asyncio.Future[int]] | None = None
        self._one_at_a_time = asyncio.Lock()
        for name, etag in settings.etags.items():
            if check_etag(etag) in self._etags.values():
                raise MalformedError(f"etag {etag} is assigned to two subjects")
            self._etags[subject_uid(name)] = etag

    async def etag(self, node: int, subject: str) -> int:
        """Return a subject's etag.

        Args:
            node: Number of the node that sends the query.
            subject: Name of the subject.

        Raises:
            NotConnectedError: No broker answers; a retry may help.
        """
        uid = subject_uid(subject)
        found = self._etags.get(uid)
        if found is not None:
            return found
        if self._settings.hashed:
            return preferred_etag(uid)
        _, future = self._asked.setdefault(uid, (Binding(uid), _future()))
        try:
            return await self._repeat(future, lambda: ask(node, uid), f"etag of {subject!r}")
        finally:
            self._asked.pop(uid, None)

    async def number(self, uid: bytes) -> int:
        """Return the number that the broker assigns to a node.

        Args:
            uid: The node's name, 8 bytes, not all 0; the same over restarts.

        Raises:
            NotConnectedError: No broker answers; a retry may help.
        """
        async with self._one_at_a_time:
            configuration, future = Configuration(uid), _future()
            self._configuring = (configuration, future)
            try:
                return await self._repeat(future, configuration.begin, "node number")
            finally:
                self._configuring = None

    def take(self, frame: Frame) -> None:
        """Accept a frame of the broker."""
        if frame.identifier.etag == Etag.CCP_SSI:
            self._configure(frame)
        else:
            self._bind(frame)

    def _bind(self, frame: Frame) -> None:
        for uid, (binding, future) in self._asked.items():
            etag = binding.take(frame)
            if etag is not None:
                self._etags[uid] = etag
                if not future.done():
                    future.set_result(etag)

    def _configure(self, frame: Frame) -> None:
        if self._configuring is None:
            return
        configuration, future = self._configuring
        reply = configuration.take(frame)
        if reply is not None:
            self._send(reply)
        if configuration.number is not None and not future.done():
            future.set_result(configuration.number)

    async def _repeat(
        self, future: "asyncio.Future[int]", question: Callable[[], Frame], what: str
    ) -> int:
        """Send queries until the broker answers."""
        for _ in range(self._settings.asks):
            self._send(question())
            with suppress(TimeoutError):
                async with asyncio.timeout(self._settings.ask_s):
                    return await asyncio.shield(future)
        future.cancel()
        raise NotConnectedError(f"no broker of this bus answers the query for the {what}")


def _future() -> "asyncio.Future[int]":
    return asyncio.get_running_loop().create_future()
