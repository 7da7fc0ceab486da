"""Native subscriptions: each destination and selector once, whoever requests it."""

from contextlib import suppress
from hashlib import blake2b

from eventservices.errors import RefusedError
from eventservices.jms.source import Source
from eventservices.stomp.link import StompLink
from fes.adapter.plain.wanted import Wanted
from fes.payload.map_xml import MAP_XML, TRANSFORMATION

from adapter_jms.selectors import guarded
from adapter_jms.settings import Settings


class Subscriptions(Wanted[Source]):
    """Keeps the native subscriptions of one adapter.

    Args:
        link: The connection.
        client: Name of the adapter, whose own messages are left out.
        settings: Whether the broker keeps the messages of topics while the adapter is away, and how
            many of each subscription it sends before some are acknowledged.
    """

    def __init__(self, link: StompLink, client: str, settings: Settings) -> None:
        super().__init__()
        self._link = link
        self._client = client
        self._settings = settings
        self._made: dict[Source, str] = {}
        self._serial = 0

    def __len__(self) -> int:
        """Return how many native subscriptions there are."""
        return len(self._made)

    async def _settle(self, needed: tuple[Source, ...]) -> None:
        fresh = [source for source in needed if source not in self._made]
        try:
            for source in fresh:
                await self._make(source)
        except BaseException:
            await self._end([source for source in fresh if source in self._made])
            raise
        kept = set(needed)
        await self._end([source for source in self._made if source not in kept])

    async def _make(self, source: Source) -> None:
        self._serial += 1
        number = f"s{self._serial}"
        selector = guarded(source.selector, self._client if source.kind == "queue" else "")
        headers = {
            "destination": source.destination,
            "ack": "client-individual",
            **({"selector": selector} if selector else {}),
            "activemq.prefetchSize": str(self._settings.prefetch),
            TRANSFORMATION: MAP_XML,
        }
        if durable := self._durable(source):
            headers["activemq.subscriptionName"] = durable
        await self._link.subscribe(number, headers)
        self._made[source] = number

    async def _end(self, surplus: list[Source]) -> None:
        for source in surplus:
            with suppress(RefusedError):  # it is not there
                await self._link.unsubscribe(self._made[source], self._durable(source))
            del self._made[source]

    def _durable(self, source: Source) -> str:
        """Return the name of a durable subscription, the same after a restart; "" for none."""
        if not self._settings.persistent or source.kind != "topic":
            return ""
        text = "\0".join((self._client, *source))
        return f"fes-{blake2b(text.encode(), digest_size=16).hexdigest()}"
