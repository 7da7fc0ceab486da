"""Proofs that a NATS link both sends and receives, made once for all concurrent callers."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection

from eventservices.ending import ended
from eventservices.errors import BehindError, RefusedError
from eventservices.natsclient import NatsClient
from eventservices.natsprobe import Probes
from eventservices.natsrefusals import Refusals

SHARED_S = 0.25
"""How long a proof is valid for other callers."""
BUSY_PROBES = 5
"""Most probes in a row while other messages come: they wait behind those."""

BEHIND_S = 60.0
"""How long a client that receives other messages, and not those to itself, counts as behind with
them: after that its subscription to itself is lost."""


class Proofs:
    """Proves a link.

    Args:
        send: Publishes a payload to the link's own inbox.
        ask_again: Requests the subscriptions to some subjects once more.
        timeout_s: Longest wait for a message to oneself, seconds in which the loop turns.

    Attributes:
        probes: Messages to oneself that are in transit.
        refusals: Subscriptions that the server refuses.
    """

    def __init__(
        self,
        send: Callable[[bytes], Awaitable[None]],
        ask_again: Callable[[Collection[str]], Awaitable[None]],
        timeout_s: float,
    ) -> None:
        self.probes = Probes()
        self.refusals = Refusals()
        self._send = send
        self._ask_again = ask_again
        self._timeout_s = timeout_s
        self._proving: asyncio.Task[float] | None = None
        self._proved_s = float("-inf")
        self._answered_s = time.monotonic()
        self._took_s = 0.0

    async def probe(self, trip: Callable[[], Awaitable[float]], *, shared: bool) -> float:
        """Return the round trip in seconds; see `NatsLink.probe`.

        Args:
            trip: Makes a round trip, and returns its duration.
            shared: Whether a proof of a moment ago, or that another waits for, will do.

        Raises:
            NotConnectedError: It was not received in time.
            RefusedError: The server refuses a subscription.
        """
        if not shared:
            return await self._prove(trip)
        if time.monotonic() - self._proved_s < SHARED_S:
            return self._took_s
        if self._proving is None or self._proving.done():
            self._proving = asyncio.create_task(self._prove(trip), name="nats-link-proof")
            self._proving.add_done_callback(_seen)
        return await asyncio.shield(self._proving)

    async def round_trip(self, client: NatsClient) -> float:
        """Return the duration of a round trip; a slow reader of messages is busy, not cut off.

        Raises:
            TimeoutError: It was not received in time, and nothing else either; or other messages
                only for too long.
            BehindError: It waits behind other messages.
            NotConnectedError: It could not be sent.
        """
        for _ in range(BUSY_PROBES):
            heard = client.heard
            try:
                took_s = await self.probes.run(self._send, self._timeout_s)
            except TimeoutError:
                if client.heard == heard:
                    raise
            else:
                self._answered_s = time.monotonic()
                return took_s
        if time.monotonic() - self._answered_s > BEHIND_S:
            self._answered_s = time.monotonic()  # of the client that replaces this one
            raise TimeoutError
        raise BehindError("more messages arrive than are processed")

    async def stop(self) -> None:
        """Prove nothing any more; waiting callers are notified that the link was closed."""
        await ended(self._proving)
        self.probes.give_up()

    async def _prove(self, trip: Callable[[], Awaitable[float]]) -> float:
        asked = self.refusals.take()
        try:
            await self._ask_again(asked)
            took_s = await trip()
        finally:
            self.refusals.answered(asked)
        refused = str(self.refusals)
        if refused:
            raise RefusedError(f"the server refuses a subscription: {refused}")
        self._proved_s, self._took_s = time.monotonic(), took_s
        return took_s


def _seen(proof: asyncio.Task[float]) -> None:
    """Look at what a proof came to: who waited for it may have gone."""
    if not proof.cancelled():
        proof.exception()
