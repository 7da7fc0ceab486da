"""A connection to a broker that is made again where it is lost, with all subscriptions."""

import asyncio
import itertools
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Self

from eventservices.backoff import Backoff
from eventservices.ending import ended
from eventservices.errors import EventServiceError, NotConnectedError, RefusedError
from eventservices.lasting import lasting
from eventservices.lifetime import Opening
from eventservices.stomp.client import CLOSE_S, OPEN_S, Frame, StompClient

ANSWER_S: Final = 5.0
"""Longest wait for a receipt; without one the connection is made again."""

BACKOFF_S: Final = (0.1, 2.0)
IN_USE: Final = "already connected"
"""What ActiveMQ states of a client's name that another connection has."""

STEADY_S: Final = 5.0

_log = logging.getLogger(__name__)


class StompLink(Opening):
    """Keeps one connection to one of several equal brokers.

    Args:
        urls: Addresses, tried in turn.
        client_id: Name that durable subscriptions belong to; "" for none.
        receive: Receives the frames of messages.

    Attributes:
        counts: What happened, by name.
        on_lost: Called when a connection was lost, before the next is made.
    """

    def __init__(
        self,
        urls: Sequence[str],
        client_id: str,
        receive: Callable[[Frame], None],
    ) -> None:
        self.counts = dict.fromkeys(("reconnects", "errors", "unacknowledged"), 0)
        self._urls = tuple(urls)
        self._next_url = itertools.cycle(urls)
        self._client_id = client_id
        self._receive = receive
        self.on_lost: Callable[[], None] = lambda: None
        self._client: StompClient | None = None
        self._newest: StompClient | None = None
        self._opened: asyncio.Future[None] | None = None
        self._receipts: dict[str, asyncio.Future[None]] = {}
        self._numbers = itertools.count(1)
        self._subscriptions: dict[str, Mapping[str, str]] = {}
        self._lost = asyncio.Event()
        self._backoff = Backoff(*BACKOFF_S, STEADY_S)
        self._keeping: asyncio.Task[None] | None = None

    @property
    def connected(self) -> bool:
        """Whether the broker accepted the connection, and subscriptions are active again."""
        return self._client is not None and not self._lost.is_set()

    async def open(self) -> Self:
        """Connect.

        Each broker is tried once. One has a client's name in use for a moment after the client
        went: so long it is tried again.

        Raises:
            NotConnectedError: No broker answers in time, or the name is in use still.
            RefusedError: The broker refuses the credentials.
        """
        loop = asyncio.get_running_loop()
        until_s = loop.time() + ANSWER_S
        untried = len(self._urls)
        while self._client is None:
            try:
                self._client = await self._connect()
            except NotConnectedError as error:
                untried -= 1
                in_use = IN_USE in str(error) and loop.time() < until_s
                if untried <= 0 and not in_use:
                    raise
                if in_use:
                    await asyncio.sleep(BACKOFF_S[0])
        self._keeping = asyncio.create_task(lasting(self._keep), name="stomp link")
        return self

    async def close(self) -> None:
        """Disconnect; idempotent."""
        await ended(self._keeping)
        client, self._client = self._client, None
        if client is not None:
            with suppress(NotConnectedError):
                client.send("DISCONNECT", {})
            await asyncio.to_thread(client.close)
            await client.hang_up(CLOSE_S)
        self._fail("the connection is closed")

    async def subscribe(self, number: str, headers: Mapping[str, str]) -> None:
        """Subscribe, now and after each connection; return when the broker has it active.

        Raises:
            NotConnectedError: It does not answer in time.
            RefusedError: It refuses the subscription.
        """
        await self._request("SUBSCRIBE", {"id": number, **headers})
        self._subscriptions[number] = headers

    async def unsubscribe(self, number: str, durable: str = "") -> None:
        """End a subscription; idempotent.

        Args:
            number: As subscribed.
            durable: Name of the durable subscription to delete; "" where it is none.
        """
        if number in self._subscriptions:
            await self._request("UNSUBSCRIBE", {"id": number})
            del self._subscriptions[number]
        if durable:
            headers = {"id": number, "activemq.subscriptionName": durable}
            await self._request("UNSUBSCRIBE", headers)

    async def send(self, headers: Mapping[str, str], body: bytes, *, confirmed: bool) -> None:
        """Send a message.

        Args:
            headers: Of its frame.
            body: Its bytes.
            confirmed: Whether to return once the broker keeps it.

        Raises:
            NotConnectedError: The broker is away, or does not answer in time.
            RefusedError: It refuses the message.
        """
        if confirmed:
            await self._request("SEND", headers, body)
        else:
            self._unless_lost(self._client).send("SEND", headers, body)

    def acknowledge(self, ack: str) -> None:
        """Acknowledge a message; where the connection was lost, it is delivered again.

        Messages come before all subscriptions are active again, and are acknowledged then.
        """
        try:
            self._unless_lost(self._newest).send("ACK", {"id": ack})
        except NotConnectedError:
            self.counts["unacknowledged"] += 1

    async def probe(self, destination: str) -> None:
        """Make a round trip: what was sent before has been processed then.

        Args:
            destination: Of the message that makes it, which nobody subscribes to.

        Raises:
            NotConnectedError: The broker does not answer in time.
        """
        await self._request("SEND", {"destination": destination, "persistent": "false"})

    def _unless_lost(self, client: StompClient | None) -> StompClient:
        if client is None or self._lost.is_set():
            raise NotConnectedError("the broker is away")
        return client

    async def _request(self, command: str, headers: Mapping[str, str], body: bytes = b"") -> None:
        await self._answered(self._unless_lost(self._client), command, headers, body)

    async def _answered(
        self, client: StompClient, command: str, headers: Mapping[str, str], body: bytes = b""
    ) -> None:
        receipt = f"r{next(self._numbers)}"
        answer = self._receipts[receipt] = asyncio.get_running_loop().create_future()
        try:
            client.send(command, {**headers, "receipt": receipt}, body)
            async with asyncio.timeout(ANSWER_S):
                await answer
        except TimeoutError:
            self._lost.set()
            raise NotConnectedError(f"the broker does not answer {command} in time") from None
        finally:
            self._receipts.pop(receipt, None)

    async def _connect(self) -> StompClient:
        client = StompClient(
            next(self._next_url), self._client_id, lambda frame: self._take(client, frame)
        )
        self._newest = client
        self._lost.clear()
        opened = self._opened = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(OPEN_S):
                await client.dial()
                await asyncio.to_thread(client.open)
                await opened
        except BaseException as error:
            await _dropped(client)
            if isinstance(error, TimeoutError):
                raise NotConnectedError(client.late) from error
            raise
        return client

    async def _keep(self) -> None:
        """Connect again whenever the connection is lost."""
        while True:
            await self._lost.wait()
            old = self._client
            self._client = None
            self._fail("the connection was lost")
            if old is not None:
                await _dropped(old)
            while self._client is None:
                self._newest = None  # what it brought before it was restored is delivered again
                self.on_lost()
                await asyncio.sleep(self._backoff.pause_s())
                try:
                    fresh = await self._connect()
                    await self._restore(fresh)
                except EventServiceError as error:
                    _log.warning("broker_away", extra={"reason": str(error)})
                else:
                    self._client = fresh
            self.counts["reconnects"] += 1

    async def _restore(self, fresh: StompClient) -> None:
        try:
            for number, headers in tuple(self._subscriptions.items()):
                await self._answered(fresh, "SUBSCRIBE", {"id": number, **headers})
        except BaseException:
            await _dropped(fresh)
            raise

    def _take(self, client: StompClient, frame: Frame) -> None:
        if client is not self._newest:
            return  # what an old connection brought is delivered again
        match frame.command:
            case "MESSAGE":
                self._receive(frame)
            case "CONNECTED":
                self._settle(self._opened, None)
            case "RECEIPT":
                self._settle(self._receipts.get(frame.headers.get("receipt-id", "")), None)
            case "ERROR":
                self._error(frame)
            case _:
                self._settle(self._opened, NotConnectedError(client.early))
                self._fail("the connection was lost")
                self._lost.set()

    def _error(self, frame: Frame) -> None:
        """Report an error to whom it concerns; else it is counted, and logged."""
        reason = _reason(frame)
        receipt = self._receipts.get(frame.headers.get("receipt-id", ""))
        if receipt is not None:
            self._settle(receipt, RefusedError(reason))
        elif self._opened is not None and not self._opened.done():
            in_use = IN_USE in reason
            self._settle(self._opened, (NotConnectedError if in_use else RefusedError)(reason))
        else:
            self.counts["errors"] += 1
            _log.warning("broker_error", extra={"reason": reason})

    def _fail(self, reason: str) -> None:
        for answer in self._receipts.values():
            self._settle(answer, NotConnectedError(reason))

    @staticmethod
    def _settle(answer: "asyncio.Future[None] | None", error: Exception | None) -> None:
        if answer is None or answer.done():
            return
        if error is None:
            answer.set_result(None)
        else:
            answer.set_exception(error)


async def _dropped(client: StompClient) -> None:
    """End a connection at once, whatever becomes of who waits for it."""

    async def drop() -> None:
        await asyncio.to_thread(client.drop)
        await client.hang_up()

    await asyncio.shield(asyncio.ensure_future(drop()))


def _reason(frame: Frame) -> str:
    """Return an error in one line: the broker adds where in its program it happened."""
    first = frame.body.decode("utf-8", "replace").partition("\n")[0].strip()
    text = frame.headers.get("message", "").partition("\n")[0].strip() or first
    return f"the broker refuses it: {text[:300] or 'it does not state why'}"
