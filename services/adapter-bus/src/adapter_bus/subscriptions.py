"""Native sinks: one for each event, whose filter accepts what any subscription accepts."""

from eventservices.bus import BusClient, Sink
from eventservices.bus.api.ends import Listener
from eventservices.bus.filters import Filter

from adapter_bus.mapping import either


class Subscriptions:
    """Keeps the sinks of one adapter.

    Args:
        client: At its bus.
        listener: Receives each event once.
    """

    def __init__(self, client: BusClient, listener: Listener) -> None:
        self._client = client
        self._listener = listener
        self._wanted: dict[int, dict[str, Filter]] = {}
        self._sinks: dict[str, Sink] = {}

    def __len__(self) -> int:
        """Return how many sinks there are."""
        return len(self._sinks)

    async def want(self, number: int, by_name: dict[str, Filter]) -> None:
        """Apply what a subscription needs; return when the sources' buses have it.

        Raises:
            EventServiceError: A bus refused; what was applied before stays.
        """
        before = self._wanted.get(number)
        self._wanted[number] = by_name
        try:
            await self._settle({*by_name, *(before or {})})
        except BaseException:
            if before is None:
                del self._wanted[number]
            else:
                self._wanted[number] = before
            raise

    async def forget(self, number: int) -> None:
        """End what only one subscription needed.

        Raises:
            EventServiceError: The bus did not answer.
        """
        before = self._wanted.pop(number, None)
        if before is not None:
            await self._settle(set(before))

    async def _settle(self, names: set[str]) -> None:
        for name in sorted(names):
            needed: Filter | None = None
            for by_name in self._wanted.values():
                if name in by_name:
                    needed = either(needed, by_name[name])
            sink = self._sinks.get(name)
            if needed is None:
                if sink is not None:
                    del self._sinks[name]
                    await sink.unsubscribe()
            elif sink is None:
                self._sinks[name] = await self._client.subscribe(name, self._listener, needed)
            elif sink.request.filter != needed:
                await sink.refilter(needed)
