"""The durable consumer of a stream, which begins again at what was not acknowledged."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import nats.errors
import nats.js.errors
from eventservices.errors import NotConnectedError, RefusedError
from eventservices.natslink import NatsLink
from nats.js import api

if TYPE_CHECKING:
    from nats.js.client import JetStreamContext

ANSWER_S: Final = 5.0
"""Longest time for the server to answer."""

MOST: Final = 4096
"""Most messages that the gateway has not answered."""

ACK_WAIT_S: Final = 30.0
"""After how long the server delivers again what was not acknowledged."""


class Consumer:
    """What one adapter has received of a stream, kept by the server.

    Args:
        link: The connection.
        stream: Name of the stream.
        durable: What its name follows from; the same after a restart.
    """

    def __init__(self, link: NatsLink, stream: str, durable: str) -> None:
        self._link = link
        self._stream = stream
        first = f"fes-{blake2b(durable.encode(), digest_size=12).hexdigest()}"
        self._names = (first, f"{first}-b")
        self._configuration = _from_now_on(first)

    @property
    def name(self) -> str:
        """Its present name."""
        return str(self._configuration.durable_name)

    @property
    def context(self) -> "JetStreamContext":
        """JetStream, by the link's present client.

        Raises:
            NotConnectedError: The link is not open.
        """
        return self._link.client.jetstream(timeout=ANSWER_S)

    async def find(self) -> api.ConsumerInfo | None:
        """Find the consumer that a process made before; of two the younger replaces the older."""
        found: list[api.ConsumerInfo] = []
        for name in self._names:
            with suppress(nats.js.errors.NotFoundError):
                found.append(await self.context.consumer_info(self._stream, name))
        found.sort(key=lambda each: each.created)
        if not found:
            return None
        for older in found[:-1]:
            await self._delete(older.name)
        self._configuration = found[-1].config
        return found[-1]

    async def settle(self, subjects: Sequence[str]) -> None:
        """Make the consumer, or have it deliver other subjects; without any, delete it.

        Raises:
            NotConnectedError: The server does not answer.
            RefusedError: It refuses.
        """
        try:
            if subjects:
                await self.context.add_consumer(self._stream, self._of(subjects))
            else:
                await self._delete(self.name)
                self._configuration = _from_now_on(self.name)
        except nats.js.errors.APIError as error:
            raise RefusedError(f"stream {self._stream!r}: {error.description}") from error
        except (nats.errors.Error, OSError) as error:
            raise NotConnectedError(f"stream {self._stream!r}: {error or repr(error)}") from error

    async def begin_again(self) -> int:
        """Have what was fetched and not acknowledged delivered before anything newer.

        The server would deliver it again only after `ACK_WAIT_S`, and newer messages at once. So
        another consumer begins there, and replaces this one; if a kill comes between, `find`
        deletes the older. The gateway knows the identity of what was acknowledged out of turn.

        Returns:
            How many deliveries there were by the consumer; the next one has the number after it.
        """
        found = await self.find()
        if found is None:
            raise nats.js.errors.NotFoundError(description="its consumer is gone")
        if not found.num_ack_pending or found.ack_floor is None:
            return found.delivered.consumer_seq if found.delivered is not None else 0
        old = self.name
        fresh = replace(
            found.config,
            name=None,
            durable_name=next(name for name in self._names if name != old),
            deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=found.ack_floor.stream_seq + 1,
        )
        await self.context.add_consumer(self._stream, fresh)
        self._configuration = fresh
        await self._delete(old)
        return 0

    def _of(self, subjects: Sequence[str]) -> api.ConsumerConfig:
        return replace(
            self._configuration,
            ack_policy=api.AckPolicy.EXPLICIT,
            ack_wait=ACK_WAIT_S,
            max_ack_pending=MOST,
            filter_subjects=list(subjects),
        )

    async def _delete(self, name: str) -> None:
        with suppress(nats.js.errors.NotFoundError):
            await self.context.delete_consumer(self._stream, name)


def _from_now_on(name: str) -> api.ConsumerConfig:
    return api.ConsumerConfig(durable_name=name, deliver_policy=api.DeliverPolicy.NEW)
