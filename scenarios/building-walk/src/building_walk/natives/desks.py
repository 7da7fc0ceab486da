"""Desks: each requests the mail of whoever is in its room, and is refused by who is not."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Mapping
from functools import partial
from typing import Final

from eventservices.bus import BusClient, Event, Sink
from eventservices.bus.errors import BusError
from eventservices.bus.filters import Among, Field
from eventservices.errors import EventServiceError
from scenario_kit.records import Recorder

from building_walk.story import DESK, MAIL, SIGHTING, Story

log = logging.getLogger(__name__)

MOST_SEEN: Final = 1_000

AWAY_STEPS: Final = 2.5
"""After so many steps without a sighting somebody who is seen has come in again."""


class Desk:
    """The desk of one room.

    It sees the badges of its own stations, requests mail as their holders, and requests it again
    where a right had ended.

    Args:
        client: At the room's bus, as the desk itself.
        owners: Clients at the room's bus, as those whose mail it may show.
        room: Its own.
        story: Who has which badge.
        recorder: Has a line of each mail.
    """

    def __init__(
        self,
        client: BusClient,
        owners: Mapping[str, BusClient],
        room: str,
        story: Story,
        recorder: Recorder,
    ) -> None:
        self._client = client
        self._clients = owners
        self._stations = story.rooms[room]
        self._name = f"{DESK}-{room}"
        self._badges = {each.badge: name for name, each in story.people.items() if each.staff}
        self._recorder = recorder
        self._sinks: dict[str, Sink] = {}
        self._seen: asyncio.Queue[str] = asyncio.Queue(MOST_SEEN)
        self._ended: set[str] = set()
        self._last_s: dict[str, float] = {}
        self._away_s = AWAY_STEPS * story.step_s

    async def open(self) -> None:
        """Begin to see badges.

        Raises:
            EventServiceError: The bus did not answer, or accept it.
        """
        await self._client.subscribe(
            SIGHTING, self._sighted, Among(Field("station"), tuple(self._stations))
        )

    async def run(self) -> None:
        """Request the mail of those who come in, until cancelled."""
        while True:
            owner = await self._seen.get()
            try:
                await self._follow(owner)
            except (BusError, EventServiceError) as error:
                log.info("mail_refused", extra={"desk": self._name, "reason": str(error)[:200]})

    async def _follow(self, owner: str) -> None:
        came = time.monotonic() - self._last_s.get(owner, 0.0) > self._away_s
        self._last_s[owner] = time.monotonic()
        if owner in self._ended or came:
            self._ended.discard(owner)
            sink = self._sinks.pop(owner, None)
            if sink is not None:
                with contextlib.suppress(BusError):  # the bus has ended it already
                    await sink.unsubscribe()
        if owner not in self._sinks:
            self._sinks[owner] = await self._clients[owner].subscribe(
                MAIL, self._received, durable=f"mail-{owner}", on_ended=partial(self._over, owner)
            )

    def _sighted(self, event: Event) -> None:
        owner = self._badges.get(str(event.values.get("tag")))
        if owner is not None and not self._seen.full():
            self._seen.put_nowait(owner)

    def _over(self, owner: str, bus: str, reason: str) -> None:
        log.info("mail_ended", extra={"desk": self._name, "bus": bus, "reason": reason})
        self._ended.add(owner)

    def _received(self, event: Event) -> None:
        self._recorder.note("received", self._name, event=MAIL, **event.values)
