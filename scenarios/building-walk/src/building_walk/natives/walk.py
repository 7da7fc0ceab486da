"""The walk: all clients, the sightings and the mail, step by step."""

import asyncio
import contextlib
import time
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from eventservices.bus import BusClient, Event, NatsTransport
from eventservices.bus.errors import SubscriptionError
from eventservices.ending import ended
from eventservices.errors import EventServiceError
from scenario_kit.records import Recorder

from building_walk import story
from building_walk.natives.bus import ready_file
from building_walk.natives.desks import Desk
from building_walk.natives.log import Log
from building_walk.natives.publishing import Publisher
from building_walk.natives.watching import watch_air, watch_city, watch_doors
from building_walk.story import (
    BUILDING,
    CITY,
    DESK,
    DOORS,
    ENTRY,
    HANDHELD,
    LOG,
    MAIL,
    OFFICE,
    PRINTER,
    PROGRESS,
    SIGHTING,
    Story,
)

BEFORE_S: Final = 45.0
"""Longest wait for the first events to come everywhere."""

STILL_S: Final = 5.0
"""How long nothing may come until a walk is over."""

LONGEST_STILL_S: Final = 60.0
AGAIN_S: Final = 0.5
LOOK_S: Final = 0.1
PRINT_EVERY: Final = 10
"""Steps from one try to print mail to the next."""


@dataclass(frozen=True, slots=True)
class Urls:
    """Where the event services are.

    Attributes:
        building, air, city: Addresses of brokers.
        doors: UDP port of the doors' CAN bus.
    """

    building: str
    air: str
    city: str
    doors: int


class Walk:
    """Plays a story.

    Args:
        run: The run folder.
        walk: The story.
        urls: Where the event services are.
        recorder: Has a line of each thing that a client does or receives.
    """

    def __init__(self, run: Path, walk: Story, urls: Urls, recorder: Recorder) -> None:
        self._run = run
        self._story = walk
        self._urls = urls
        self._recorder = recorder
        self._publishers: dict[str, Publisher] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._printers: list[BusClient] = []

    async def open(self, stack: AsyncExitStack) -> None:
        """Connect all clients.

        Raises:
            EventServiceError: An event service is away.
        """
        stack.push_async_callback(self._end)
        await self._buses()
        for room in (*self._story.rooms, OFFICE):
            client = await self._client(stack, room, "sensors" if room != OFFICE else "mail-room")
            publisher = self._publishers[room] = Publisher(client, room, self._recorder)
            await publisher.advertise(*((MAIL,) if room == OFFICE else (SIGHTING, ENTRY)))
            self._begin(publisher.run())
        log = Log(await self._client(stack, OFFICE, LOG, user=LOG, device=LOG), self._recorder)
        await log.open()
        self._begin(log.run())
        for room in self._story.rooms:
            await self._desk(stack, room)
        printer = await self._client(stack, OFFICE, PRINTER, user="ann", device=PRINTER)
        self._printers.append(printer)
        await watch_doors(stack, self._urls.doors, self._recorder)
        await watch_air(stack, self._urls.air, self._recorder)
        await watch_city(stack, self._urls.city, self._recorder)

    async def _buses(self) -> None:
        async with asyncio.timeout(BEFORE_S):
            for bus in (*self._story.rooms, OFFICE):
                while not ready_file(self._run, bus).exists():  # noqa: ASYNC110 - the file of another process
                    await asyncio.sleep(LOOK_S)

    async def play(self) -> None:
        """Publish the story, and return when nothing comes any more."""
        begun_s = time.monotonic()
        for step in range(self._story.steps):
            await asyncio.sleep(begun_s + step * self._story.step_s - time.monotonic())
            (self._run / PROGRESS).write_text(f"{step}\n", "utf-8")
            await self._sightings(step)
            if step % PRINT_EVERY == 1:
                for printer in self._printers:
                    self._begin(self._print(printer))
            await asyncio.sleep(self._story.step_s / 2)
            for number, mail in enumerate(self._story.mails):
                if mail.step == step:
                    await self._mail(mail.owner, number, mail.headline(number), mail.body(number))
        for publisher in self._publishers.values():
            await publisher.done()
        await self._still()

    async def before(self) -> None:
        """Publish events of number -1 until they come everywhere: all is subscribed then."""
        wanted = {(each, room) for each in (LOG, CITY, HANDHELD) for room in self._story.rooms}
        wanted |= {(DOORS, room) for room in self._story.people["ann"].rooms} | {(HANDHELD, MAIL)}
        visitor = next(each for each in self._story.people if self._story.is_visitor(each))
        deadline = time.monotonic() + BEFORE_S
        number = 0
        while time.monotonic() < deadline and not wanted <= self._came():
            number -= 1
            for room, stations in self._story.rooms.items():
                await self._sighting(room, stations[0], visitor, number)
                await self._entry(room, "ann", number)
            await self._mail("ann", number, "begins", "soon")
            await asyncio.sleep(AGAIN_S)

    def _came(self) -> set[tuple[str, str]]:
        """Return where which events of before the walk came, by what the clients wrote."""
        found = set()
        for line in (self._run / story.RECORDS).read_text("utf-8").splitlines():
            each = story.record(line)
            if each.what == "received" and each.number < 0:
                found.add((each.client, each.event if each.event == MAIL else each.room))
        return found

    async def _sightings(self, step: int) -> None:
        for number, each in enumerate(self._story.sightings):
            if each.step != step:
                continue
            await self._sighting(each.room, each.station, each.person, number)
            if each.entered:
                await self._entry(each.room, each.person, number)

    async def _sighting(self, room: str, station: str, person: str, number: int) -> None:
        badge = self._story.people[person].badge
        values = {
            "station": station, "badge": bytes.fromhex(badge), "tag": badge, "room": room,
            "number": number,
        }  # fmt: skip
        await self._publishers[room].put(SIGHTING, values)

    async def _entry(self, room: str, person: str, number: int) -> None:
        values = {"room": room, "tag": self._story.people[person].badge, "number": number}
        await self._publishers[room].put(ENTRY, values)

    async def _mail(self, owner: str, number: int, headline: str, body: str) -> None:
        values = {"owner": owner, "number": number, "headline": headline, "body": body}
        await self._publishers[OFFICE].put(MAIL, values)

    async def _print(self, printer: BusClient) -> None:
        try:
            sink = await printer.subscribe(MAIL, self._printed)
        except SubscriptionError as error:
            self._recorder.note("refused", PRINTER, event=MAIL, number=0, reason=str(error))
        except EventServiceError:
            pass  # its bus is away: nothing was decided
        else:
            await asyncio.sleep(self._story.step_s)
            with contextlib.suppress(EventServiceError):
                await sink.unsubscribe()

    def _printed(self, event: Event) -> None:
        self._recorder.note("received", PRINTER, event=event.name, **event.values)

    async def _desk(self, stack: AsyncExitStack, room: str) -> None:
        client = await self._client(stack, room, DESK, user=DESK, device=DESK)
        owners = {
            name: await self._client(stack, room, f"{DESK}-{name}", user=name, device=DESK)
            for name, person in self._story.people.items()
            if person.staff
        }
        desk = Desk(client, owners, room, self._story, self._recorder)
        await desk.open()
        self._begin(desk.run())

    async def _client(
        self, stack: AsyncExitStack, bus: str, name: str, user: str = "", device: str = ""
    ) -> BusClient:
        transport = NatsTransport([self._urls.building], BUILDING, bus, name)
        return await stack.enter_async_context(BusClient(transport, user=user, device=device))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(work, name=f"walk-{len(self._tasks)}"))

    async def _end(self) -> None:
        await ended(*self._tasks)

    async def _still(self) -> None:
        begun_s = moved_s = time.monotonic()
        seen = self._recorder.lines
        while time.monotonic() - moved_s < STILL_S:
            await asyncio.sleep(LOOK_S)
            if self._recorder.lines != seen:
                seen, moved_s = self._recorder.lines, time.monotonic()
            if time.monotonic() - begun_s > LONGEST_STILL_S:
                return


async def run(folder: Path, urls: Urls) -> None:
    """Play the story of a run.

    Raises:
        EventServiceError: An event service is away.
    """
    with Recorder.opened(folder / story.RECORDS) as recorder:
        async with AsyncExitStack() as stack:
            walk = Walk(folder, story.read(folder), urls, recorder)
            await walk.open(stack)
            await walk.before()
            await walk.play()
