"""Keeps a connection to JetStream while anybody needs one, and opens another when it breaks."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol

from eventservices.cns.persistent.session import TROUBLE, Session
from eventservices.ending import ended
from eventservices.errors import EventServiceError, NotConnectedError
from eventservices.lasting import lasting
from eventservices.natsoptions import LinkOptions

log = logging.getLogger(__name__)

FIRST_WAIT_S = 0.05
LAST_WAIT_S = 1.0
AGAIN_S = 0.5
"""After how long a task is cancelled again: `nats-py` swallows what comes while it flushes."""


class User(Protocol):
    """Needs the connection."""

    async def serve(self, session: Session) -> None:
        """Do what is to be done over one connection, until it breaks or all is done.

        Raises:
            EventServiceError: It cannot go on; the connection is thrown away.
        """


class Keeper:
    """Serves its users over one connection after another.

    Args:
        urls: Addresses of equal servers.
        options: How connections behave.

    Attributes:
        breaks: Connections that broke.
    """

    def __init__(self, urls: Sequence[str], options: LinkOptions) -> None:
        self.breaks = 0
        self._urls = urls
        self._options = options
        self._users: dict[User, asyncio.Task[None] | None] = {}
        self._session: Session | None = None
        self._up = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def present(self) -> Session | None:
        """The connection that there is now; None where there is none."""
        return self._session

    def add(self, user: User) -> None:
        """Serve a user from now on.

        Raises:
            NotConnectedError: The connection is closed.
        """
        if self._closed:
            raise NotConnectedError("the connection is closed")
        self._users[user] = None
        if self._running is None:
            self._running = asyncio.create_task(lasting(self._run), name="cns-keeper")
        elif self._session is not None:
            self._start(user, self._session)

    async def remove(self, user: User) -> None:
        """Serve a user no more; harmless where it is not served."""
        await ended(self._users.pop(user, None), again_s=AGAIN_S)

    async def session(self) -> Session:
        """Return the present connection, as soon as there is one.

        Raises:
            NotConnectedError: There is none in time.
        """
        if self._running is None and not self._closed:
            self._running = asyncio.create_task(lasting(self._run), name="cns-keeper")
        try:
            async with asyncio.timeout(self._options.open_timeout_s):
                await self._up.wait()
        except TimeoutError as error:
            raise NotConnectedError(f"no answer from {', '.join(self._urls)}") from error
        if self._session is None:
            raise NotConnectedError("the connection is closed")
        return self._session

    async def close(self) -> None:
        """Disconnect; harmless when repeated."""
        if self._closed:
            return
        self._closed = True
        await ended(self._running, again_s=AGAIN_S)
        self._up.set()

    async def _run(self) -> None:
        wait_s = FIRST_WAIT_S
        while True:
            try:
                session = await Session.open(self._urls, self._options)
            except EventServiceError as error:
                log.warning("store_away", extra={"error": str(error)})
            else:
                start_s = asyncio.get_running_loop().time()
                await self._serve(session)
                self.breaks += 1
                log.warning("store_connection_broke", extra={"reason": session.reason})
                if asyncio.get_running_loop().time() - start_s > LAST_WAIT_S:
                    wait_s = FIRST_WAIT_S
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LAST_WAIT_S)

    async def _serve(self, session: Session) -> None:
        self._session = session
        self._up.set()
        try:
            for user in tuple(self._users):
                self._start(user, session)
            await session.broken.wait()
        finally:
            self._session = None
            self._up.clear()
            await ended(*self._users.values(), again_s=AGAIN_S)
            await session.close()

    def _start(self, user: User, session: Session) -> None:
        self._users[user] = asyncio.create_task(_guarded(user, session), name="cns-keeper-user")


async def _guarded(user: User, session: Session) -> None:
    try:
        await user.serve(session)
    except (EventServiceError, *TROUBLE) as error:
        session.fail(repr(error))
    except Exception:
        log.exception("store_user_failed")
        session.fail("a user failed")
