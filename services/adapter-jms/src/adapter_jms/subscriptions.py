"""Native subscriptions: each destination and selector once, whoever requests it."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b

from eventservices.errors import RefusedError
from eventservices.jms.source import Source
from eventservices.stomp.link import StompLink
from fes.payload.map_xml import MAP_XML, TRANSFORMATION

from adapter_jms.selectors import guarded
from adapter_jms.settings import Settings


@dataclass(slots=True)
class _Native:
    number: str
    durable: str
    requested_by: set[int]


class Subscriptions:
    """Keeps the native subscriptions of one adapter.

    Args:
        link: The connection.
        client: Name of the adapter, whose own messages are left out.
        settings: Whether the broker keeps the messages of topics while the adapter is away, and how
            many of each subscription it sends before some are acknowledged.
    """

    def __init__(self, link: StompLink, client: str, settings: Settings) -> None:
        self._link = link
        self._client = client
        self._settings = settings
        self._natives: dict[Source, _Native] = {}
        self._serial = 0
        self._changing = asyncio.Lock()

    def __len__(self) -> int:
        """Return how many native subscriptions there are."""
        return len(self._natives)

    async def want(self, number: int, sources: tuple[Source, ...]) -> None:
        """Subscribe to what a filter needs; return when the broker has it active.

        Raises:
            EventServiceError: As the link; what was active before stays.
        """
        async with self._changing:
            made: list[Source] = []
            try:
                for source in sources:
                    if source not in self._natives:
                        await self._make(source)
                        made.append(source)
            except BaseException:
                for source in made:
                    await self._end(source)
                raise
            for source in sources:
                self._natives[source].requested_by.add(number)

    async def forget(self, number: int) -> None:
        """End what only one filter needed; idempotent.

        Raises:
            EventServiceError: As the link; another call ends what is left.
        """
        async with self._changing:
            for source, native in tuple(self._natives.items()):
                native.requested_by.discard(number)
                if not native.requested_by:
                    await self._end(source)

    async def _make(self, source: Source) -> None:
        self._serial += 1
        number = f"s{self._serial}"
        durable = self._name(source) if self._settings.persistent and source.kind == "topic" else ""
        selector = guarded(source.selector, self._client if source.kind == "queue" else "")
        headers = {
            "destination": source.destination,
            "ack": "client-individual",
            **({"selector": selector} if selector else {}),
            "activemq.prefetchSize": str(self._settings.prefetch),
            TRANSFORMATION: MAP_XML,
        }
        if durable:
            headers["activemq.subscriptionName"] = durable
        await self._link.subscribe(number, headers)
        self._natives[source] = _Native(number, durable, set())

    async def _end(self, source: Source) -> None:
        native = self._natives[source]
        with suppress(RefusedError):  # it is not there
            await self._link.unsubscribe(native.number, native.durable)
        del self._natives[source]

    def _name(self, source: Source) -> str:
        """Return the name of a durable subscription: the same after a restart."""
        text = "\0".join((self._client, *source))
        return f"fes-{blake2b(text.encode(), digest_size=16).hexdigest()}"
