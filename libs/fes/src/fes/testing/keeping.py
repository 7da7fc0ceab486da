"""An event service in memory that keeps persistent events for its subscribers."""

import asyncio
from collections import deque
from typing import ClassVar, Final

from fes.adapter.context import Subscription
from fes.federation.capabilities import Capabilities
from fes.mapping import Native
from fes.model import attributes
from fes.testing.memory import MemoryAdapter, MemoryBus, MemoryEvent, MemorySettings

AGAIN_S: Final = 0.05
"""How long an event that was not accepted waits before it is delivered again."""

KEPT: Final = 100_000
"""Most events kept for one adapter; further ones are not kept."""


class Keeper:
    """Keeps the persistent events of an event service for one adapter, over its restarts.

    Args:
        bus: The event service.
    """

    def __init__(self, bus: MemoryBus) -> None:
        self.kept: deque[MemoryEvent] = deque()
        self.refused = 0
        self._adapter: KeepingAdapter | None = None
        self._given = False
        self.stop = bus.listen(self._keep)

    def attach(self, adapter: "KeepingAdapter") -> None:
        """Deliver to an adapter, beginning with the oldest."""
        self._adapter, self._given = adapter, False
        self._give()

    def detach(self) -> None:
        """Stop delivery, and continue to keep events."""
        self._adapter = None

    def _keep(self, item: MemoryEvent) -> None:
        if not attributes.is_persistent(item.event):
            return
        if len(self.kept) >= KEPT:
            self.refused += 1
            return
        self.kept.append(item)
        self._give()

    def _give(self) -> None:
        if self._adapter is None or self._given or not self.kept:
            return
        self._given = True
        adapter = self._adapter

        def answer(taken: bool) -> None:  # noqa: FBT001 - `Answer` is called by position
            if self._adapter is adapter and self._given:
                self._given = False
                if taken:
                    self.kept.popleft()
                    self._give()
                else:
                    asyncio.get_running_loop().call_later(AGAIN_S, self._give)

        item = self.kept[0]
        native = Native(
            item.event.subject, item.event.parameters, item.event.attributes, None, None, False
        )
        adapter.sink.heard(native, item.stamp, answer)


keepers: dict[tuple[str, str], Keeper] = {}
"""By event service and adapter; their names are unique in a test."""


class KeepingAdapter(MemoryAdapter):
    """Connects an event service in memory that keeps persistent events."""

    kind: ClassVar[str] = "memory-keeping"

    @classmethod
    def capabilities_for(cls, settings: MemorySettings) -> Capabilities:
        """Return what it can do."""
        del settings
        return Capabilities(needs_announcement=True, persistent=True)

    async def _open(self) -> None:
        await super()._open()
        self._closing.callback(self._detach)

    def _detach(self) -> None:
        keeper = keepers.get(self._place)
        if keeper is not None:
            keeper.detach()

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        if self._place not in keepers:
            keepers[self._place] = Keeper(self.bus)
        keepers[self._place].attach(self)
        return await super()._subscribe(subscription)

    @property
    def _place(self) -> tuple[str, str]:
        return self.context.service, self.context.id

    def _take(self, item: MemoryEvent) -> None:
        if not attributes.is_persistent(item.event):
            super()._take(item)
