"""Publishes persistent events: each is stored once, in order, or its sender learns why not."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from eventservices.cns.persistent.keeper import Keeper
from eventservices.cns.persistent.replies import NO_RESPONDERS, refusal, status_of
from eventservices.cns.persistent.session import Session
from eventservices.cns.persistent.window import Window
from eventservices.errors import EventServiceError, NotConnectedError

MAX_COUNT: Final = 512
MAX_BYTES: Final = 4 * 1024 * 1024
ANSWER_TIMEOUT_S: Final = 5.0
_LOOK_S: Final = 1.0

Storing = asyncio.Future[Exception | None]
"""Contains why a publication was refused, or None once it is stored."""


Prepare = Callable[[Session], Awaitable[object]]
"""Makes sure that a stream accepts what is to be published."""


async def stored(storing: Storing) -> None:
    """Return when an event is stored.

    Raises:
        EventServiceError: It was refused, or the connection was closed first.
    """
    error = await storing
    if error is not None:
        raise error


class Publisher:
    """Publishes for all channels of a connection.

    At most `MAX_COUNT` publications, of `MAX_BYTES`, are not acknowledged at a time; who has
    another waits.

    Args:
        keeper: The connection to JetStream.

    Attributes:
        preparations: Done over each new connection before anything is published on it.
    """

    def __init__(self, keeper: Keeper) -> None:
        self.preparations: list[Prepare] = []
        self._keeper = keeper
        self._window: Window[Storing] = Window(MAX_COUNT, MAX_BYTES)
        self._entering = asyncio.Lock()
        self._room = asyncio.Event()
        self._wanted = asyncio.Event()
        self._session: Session | None = None
        self._added = False
        self._closed = False

    async def send(self, subject: str, payload: bytes, headers: Mapping[str, str]) -> Storing:
        """Accept a publication; it is sent when its turn comes.

        Returns:
            What `stored` waits for.

        Raises:
            NotConnectedError: The connection is closed.
        """
        async with self._entering:
            while not self._closed and not self._window.has_room(len(payload)):
                self._room.clear()
                await self._room.wait()
            if self._closed:
                raise NotConnectedError("the connection is closed")
            if not self._added:
                self._keeper.add(self)
                self._added = True
            storing: Storing = asyncio.get_running_loop().create_future()
            self._window.add(subject, payload, headers, storing)
            self._wanted.set()
        return storing

    async def serve(self, session: Session) -> None:
        """Send over one connection, beginning with what the broker did not acknowledge."""
        self._session = session
        for prepare in tuple(self.preparations):
            await prepare(session)
        inbox = session.client.new_inbox()
        await session.client.listen(f"{inbox}.*", self._on_answer)
        self._window.rewind()
        while True:
            publication = self._window.next(time.monotonic())
            if publication is None:
                await self._pause(session)
                continue
            await session.client.publish(
                publication.subject,
                publication.payload,
                f"{inbox}.{publication.number}",
                publication.headers,  # type: ignore[arg-type] # nats-py only reads it
            )

    async def close(self) -> None:
        """Wait for nothing more; who waits for an answer learns that there will be none."""
        self._closed = True
        await self._keeper.remove(self)
        for publication in self._window.clear():
            if not publication.outcome.done():
                publication.outcome.set_result(NotConnectedError("the connection was closed"))
        self._room.set()

    async def _pause(self, session: Session) -> None:
        self._wanted.clear()
        try:
            async with asyncio.timeout(_LOOK_S):
                await self._wanted.wait()
        except TimeoutError:
            since_s = self._window.waits_since_s()
            if since_s is not None and time.monotonic() - since_s > ANSWER_TIMEOUT_S:
                session.fail("publications are not acknowledged")

    def _on_answer(self, subject: str, payload: bytes, headers: bytes, _reply: str) -> None:
        if status_of(headers) == NO_RESPONDERS:
            self._on_missing()
            return
        publication = self._window.settle(int(subject.rpartition(".")[2]))
        if publication is None:
            return
        self._room.set()
        if not publication.outcome.done():
            error: EventServiceError | None = refusal(payload)
            publication.outcome.set_result(error)

    def _on_missing(self) -> None:
        # The stream is gone, or has no leader yet. Who published later on this connection may be
        # stored already, so it must not go on: a new connection begins in order.
        if self._session is not None:
            self._session.fail("no stream accepts the publications")
