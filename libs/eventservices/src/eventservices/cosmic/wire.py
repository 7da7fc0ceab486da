"""The wire: the interface, with the arbitration that it does not do itself."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import asdict
from typing import Final

from serving.clocks import wall_us

from eventservices.cosmic.arbiter import Arbiter
from eventservices.cosmic.driver import Driver, OnMalformed
from eventservices.cosmic.echoes import Echoes
from eventservices.cosmic.frame import Frame
from eventservices.cosmic.settings import BusSettings
from eventservices.cosmic.transmission import Transmission
from eventservices.ending import ended
from eventservices.errors import EventServiceError, NotConnectedError
from eventservices.lasting import lasting

BURST: Final = 64
"""Frames between two turns of the event loop."""

LEAST_PAUSE_S: Final = 0.001
LONGEST_PAUSE_S: Final = 1.0
LOOK_S: Final = 0.2
"""How often a broken interface is looked for, and opened again."""

_log = logging.getLogger(__name__)

Heard = Callable[[Frame, int | None], None]
"""Is called with each frame of the bus and, where it was sent here, whose it is."""


class Wire:
    """Sends what waits, the most urgent first, and brings what is on the bus.

    Args:
        settings: Interface, bit rate and limits.
        heard: Is called with each frame.
        malformed: Is called with what was not a frame.
    """

    def __init__(self, settings: BusSettings, heard: Heard, malformed: OnMalformed) -> None:
        self._settings = settings
        self._heard = heard
        self._driver = Driver(settings.interface, self._take, malformed)
        self._arbiter = Arbiter(
            settings.bit_rate, settings.queue, settings.queue_bytes, settings.slot_us
        )
        self._echoes = Echoes()
        self._wake = asyncio.Event()
        self._progress = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def open(self) -> None:
        """Open the interface; one that breaks later is opened again.

        Raises:
            NotConnectedError: The interface is not there.
            RefusedError: Nobody here knows such an interface.
        """
        self._driver.open()
        self._tasks = [
            asyncio.create_task(lasting(self._send_all), name="cosmic sending"),
            asyncio.create_task(lasting(self._keep_open), name="cosmic watching"),
        ]

    async def close(self) -> None:
        """Close the interface; harmless where that was done. What waits is not sent any more."""
        tasks, self._tasks = self._tasks, []
        self._progress.set()
        await ended(*tasks)
        await self._driver.close()

    @property
    def connected(self) -> bool:
        """Whether frames can be sent."""
        return bool(self._tasks) and self._driver.is_open

    @property
    def waiting(self) -> int:
        """How many transmissions wait."""
        return len(self._arbiter)

    @property
    def totals(self) -> dict[str, int]:
        """All that was counted, by name."""
        driver, arbiter = asdict(self._driver.counters), asdict(self._arbiter.counters)
        return {**driver, **arbiter, "unconfirmed": self._echoes.lost}

    def offer(self, transmission: Transmission) -> None:
        """Queue something for the bus.

        Raises:
            NotConnectedError: The bus is closed, or its interface broken.
            RefusedError: Too much waits already.
        """
        if not self.connected:
            raise NotConnectedError(self._driver.broken or "the bus is closed")
        self._arbiter.offer(transmission)
        self._wake.set()

    def withdraw(self, unwanted: Callable[[Transmission], bool]) -> None:
        """Drop what waits, without notifying anybody."""
        self._arbiter.withdraw(unwanted)

    def give_up(self, reason: str) -> None:
        """Accept the interface for broken; it is opened again."""
        self._driver.broken = self._driver.broken or reason

    async def room(self) -> None:
        """Wait until less than half of what may wait does."""
        await self._until(lambda: self.waiting < self._settings.queue // 2)

    async def drain(self) -> None:
        """Wait until nothing waits any more."""
        await self._until(lambda: not self.waiting)

    async def _until(self, check: Callable[[], bool]) -> None:
        while not check() and self._tasks:
            self._progress.clear()
            await self._progress.wait()

    async def _send_all(self) -> None:
        sent = 0
        while True:
            frame = self._arbiter.next(wall_us())
            self._progress.set()
            if frame is None:
                await self._pause()
                continue
            self._send(frame)
            sent += 1
            if sent % BURST == 0:
                await asyncio.sleep(0)

    def _send(self, frame: Frame) -> None:
        sender = self._arbiter.sender
        try:
            self._driver.send(frame)
        except NotConnectedError as error:
            _log.debug("frame_not_sent", extra={"reason": str(error)})
            self._arbiter.failed(wall_us())
        else:
            self._echoes.expect(frame, sender)
            self._arbiter.sent(wall_us())

    async def _pause(self) -> None:
        wait_s = (self._arbiter.wake_us() - wall_us()) / 1e6
        self._wake.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(max(wait_s, LEAST_PAUSE_S), LONGEST_PAUSE_S)):
                await self._wake.wait()

    async def _keep_open(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            if not self._driver.broken:
                continue
            _log.warning("bus_broken", extra={"reason": self._driver.broken})
            await self._driver.close()
            try:
                self._driver.open()
            except EventServiceError as error:
                self._driver.broken = str(error)
            else:
                self._driver.counters.reopened += 1

    def _take(self, frame: Frame) -> None:
        self._heard(frame, self._echoes.take(frame))
