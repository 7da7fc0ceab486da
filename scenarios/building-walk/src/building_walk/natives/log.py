"""The security log: every sighting and every mail, over restarts; it requests again what ended."""

import asyncio
import logging
from functools import partial
from typing import Final

from eventservices.bus import BusClient, Event
from eventservices.bus.errors import BusError
from eventservices.errors import EventServiceError
from scenario_kit.records import Recorder

from building_walk.story import LOG, MAIL, SIGHTING

log = logging.getLogger(__name__)

AGAIN_S: Final = 0.5
MOST_ENDED: Final = 1_000


class Log:
    """A durable sink for each event.

    Args:
        client: At the office's bus.
        recorder: Has a line of each event.
    """

    def __init__(self, client: BusClient, recorder: Recorder) -> None:
        self._client = client
        self._recorder = recorder
        self._ended: asyncio.Queue[str] = asyncio.Queue(MOST_ENDED)

    async def open(self) -> None:
        """Subscribe.

        Raises:
            EventServiceError: The bus did not answer, or accept it.
        """
        for name in (SIGHTING, MAIL):
            await self._subscribe(name)

    async def run(self) -> None:
        """Request again what ended, until cancelled."""
        while True:
            name = await self._ended.get()
            try:
                await self._subscribe(name)
            except (BusError, EventServiceError) as error:
                log.info("log_refused", extra={"event": name, "reason": str(error)[:200]})
                await asyncio.sleep(AGAIN_S)
                self._end(name, "", "")

    async def _subscribe(self, name: str) -> None:
        await self._client.subscribe(
            name,
            self._received,
            durable=f"log-{name.rpartition('.')[2]}",
            on_ended=partial(self._end, name),
        )

    def _end(self, name: str, bus: str, reason: str) -> None:
        log.info("log_ended", extra={"event": name, "bus": bus, "reason": reason})
        if not self._ended.full():
            self._ended.put_nowait(name)

    def _received(self, event: Event) -> None:
        self._recorder.note("received", LOG, event=event.name, **event.values)
