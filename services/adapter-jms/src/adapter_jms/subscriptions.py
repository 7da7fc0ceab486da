"""Native subscriptions: each destination and selector once, whoever requests it."""

from hashlib import blake2b

from eventservices.jms.source import Source
from eventservices.stomp.session import Session
from fes.adapter.plain.wanted import Wanted

from adapter_jms.selectors import guarded


class Subscriptions(Wanted[Source]):
    """Keeps the native subscriptions of one adapter.

    Args:
        session: The connection.
        client: Name of the adapter, whose own messages are left out.
        persistent: Whether the broker keeps the messages of topics while the adapter is away.
    """

    def __init__(self, session: Session, client: str, *, persistent: bool) -> None:
        super().__init__()
        self._session = session
        self._client = client
        self._is_persistent = persistent
        self._made: dict[Source, str] = {}

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
        selector = guarded(source.selector, self._client if source.kind == "queue" else "")
        whole = source._replace(selector=selector)
        self._made[source] = await self._session.consume(whole, self._durable(source))

    async def _end(self, surplus: list[Source]) -> None:
        for source in surplus:
            await self._session.end(self._made[source], self._durable(source))
            del self._made[source]

    def _durable(self, source: Source) -> str:
        """Return the name of a durable subscription, the same after a restart; "" for none."""
        if not self._is_persistent or source.kind != "topic":
            return ""
        text = "\0".join((self._client, *source))
        return f"fes-{blake2b(text.encode(), digest_size=16).hexdigest()}"
