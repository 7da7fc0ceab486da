"""Sources that publish over restarts of their bus: again, under the same identity."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final

from eventservices.bus import BusClient, Source
from eventservices.bus.errors import BusError
from eventservices.errors import EventServiceError
from eventservices.stamp import Stamper
from scenario_kit.records import Recorder

from building_walk.story import BUILDING

ANSWER_S: Final = 1.5
"""How long a bus's answer is waited for before the event is sent again."""

PAUSE_S: Final = 0.2
MOST_WAITING: Final = 10_000


class Publisher:
    """Publishes the persistent events of one client, in their order.

    Args:
        client: Of a bus, open.
        name: Of the client; begins the origins of its events.
        recorder: Has a line of each event that the bus has stored.
    """

    def __init__(self, client: BusClient, name: str, recorder: Recorder) -> None:
        self._client = client
        self._name = name
        self._recorder = recorder
        self._stampers: dict[str, Stamper] = {}
        self._sources: dict[str, Source] = {}
        self._waiting: asyncio.Queue[tuple[str, Mapping[str, Any], float]] = asyncio.Queue(
            MOST_WAITING
        )

    async def advertise(self, *events: str) -> None:
        """Advertise sources.

        Raises:
            EventServiceError: The bus did not answer, or accept it.
        """
        for event in events:
            self._sources[event] = await self._client.advertise(event)
            self._stampers[event] = Stamper(f"{self._name}/{event}", BUILDING)

    async def put(self, event: str, values: Mapping[str, Any]) -> None:
        """Have an event published when those before it are."""
        await self._waiting.put((event, values, time.time()))

    async def done(self) -> None:
        """Return when all that was put is stored at the bus."""
        await self._waiting.join()

    async def run(self) -> None:
        """Publish what was put, until cancelled."""
        while True:
            event, values, due_s = await self._waiting.get()
            stamp = self._stampers[event].next()
            while True:
                try:
                    async with asyncio.timeout(ANSWER_S):
                        await self._sources[event].notify(values, persistent=True, stamp=stamp)
                except (BusError, EventServiceError, TimeoutError):
                    await asyncio.sleep(PAUSE_S)  # the bus is away, or back and not declared yet
                    continue
                break
            self._recorder.note("published", self._name, event=event, due_s=due_s, **values)
            self._waiting.task_done()
