"""The adapter's native subscriptions: several of the gateway's may need the same one."""

import asyncio
from collections import Counter
from collections.abc import Callable

from eventservices.cosmic import Delivery, Node, Subscription

from adapter_cosmic.mapping import Wanted
from adapter_cosmic.settings import CosmicSettings

Take = Callable[[Delivery], None]


class Holdings:
    """Subscribes once to what is needed, and for as long as it is.

    Args:
        node: The adapter's.
        settings: How channels are held.
        take: Is given each event.
    """

    def __init__(self, node: Node, settings: CosmicSettings, take: Take) -> None:
        self._node = node
        self._settings = settings
        self._take = take
        self._needed: dict[int, tuple[Wanted, ...]] = {}
        self._users: Counter[Wanted] = Counter()
        self._natives: dict[Wanted, Subscription] = {}
        self._changing = asyncio.Lock()

    async def add(self, number: int, wanted: tuple[Wanted, ...]) -> None:
        """Subscribe to what one subscription needs; one of the same number is replaced.

        Raises:
            EventServiceError: The bus is away, or nobody tells an etag; nothing was changed.
        """
        async with self._changing:
            made: dict[Wanted, Subscription] = {}
            try:
                for each in wanted:
                    if each not in self._natives:
                        made[each] = await self._subscribe(each)
            except BaseException:
                for native in made.values():
                    self._node.cancel_subscription(native)
                raise
            self._natives |= made
            self._users.update(wanted)
            self._leave(self._needed.get(number, ()))
            self._needed[number] = wanted

    async def remove(self, number: int) -> None:
        """Need nothing more for a subscription; harmless where there is none."""
        async with self._changing:
            self._leave(self._needed.pop(number, ()))

    def _leave(self, unneeded: tuple[Wanted, ...]) -> None:
        self._users.subtract(unneeded)
        for each in unneeded:
            if self._users[each] <= 0:
                del self._users[each]
                self._node.cancel_subscription(self._natives.pop(each))

    async def _subscribe(self, wanted: Wanted) -> Subscription:
        attributes = self._settings.attributes(wanted.subject)
        if wanted.can_id >= 0:
            return self._node.listen(
                wanted.can_id,
                attributes,
                self._take,
                extended=wanted.extended,
                group=wanted.group,
            )
        etag = self._settings.of(wanted.subject).etag
        return await self._node.subscribe(wanted.subject, attributes, self._take, etag=etag)
