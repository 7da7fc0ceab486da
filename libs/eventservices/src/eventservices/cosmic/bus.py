"""The bus: what the nodes of a process share."""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from secrets import token_bytes
from typing import Final, Self

from serving.clocks import wall_us

from eventservices.cosmic.calendar import Calendar
from eventservices.cosmic.directory import ANSWERS, Directory
from eventservices.cosmic.frame import FRAME_BYTES, Frame
from eventservices.cosmic.identifier import (
    CONFIG_PRIORITY,
    RESERVED_ETAGS,
    Etag,
    Identifier,
)
from eventservices.cosmic.medium import NOBODY, BusCounters, Participant
from eventservices.cosmic.node import Node
from eventservices.cosmic.settings import BusSettings, NodeSettings
from eventservices.cosmic.transmission import Outcome, Transmission
from eventservices.cosmic.wire import Wire
from eventservices.errors import EventServiceError, NotConnectedError, RefusedError
from eventservices.lifetime import Opening

KEPT_MALFORMED: Final = 100
"""Malformed events that are set aside; the oldest is dropped first."""

KEPT_BYTES: Final = 1024
"""Bytes that are kept of each."""

OnMalformed = Callable[[str, bytes], None]
"""Accepts the reason why something was set aside, and its bytes; must not raise."""

_log = logging.getLogger(__name__)


class Bus(Opening):
    """Carries what the nodes of this process send, and brings what others send.

    Args:
        settings: Interface, bit rate and limits.
        clock_us: The clock of stamps, microseconds since 1970 UTC; the wall clock where None.

    Attributes:
        monitors: Each is called with every frame of the bus, those of this process among them.
        watchers: The first of them is notified of each malformed event.
        set_aside: The latest malformed events, with the reasons.
    """

    def __init__(self, settings: BusSettings, clock_us: Callable[[], int] | None = None) -> None:
        self.settings = settings
        self.clock_us = clock_us or wall_us
        self.calendar = Calendar(settings.slots)
        self.counters = BusCounters()
        self.monitors: list[Callable[[Frame], None]] = []
        self.watchers: list[OnMalformed] = []
        self.set_aside: deque[tuple[str, bytes]] = deque(maxlen=KEPT_MALFORMED)
        self._wire = Wire(settings, self._heard, self._no_frame)
        self._directory = Directory(settings, self.send)
        self._participants: dict[int, Participant] = {}
        self._probes: dict[bytes, asyncio.Future[None]] = {}

    async def open(self) -> Self:
        """Open the interface; one that breaks later is opened again.

        Raises:
            NotConnectedError: The interface is not there.
            RefusedError: Nobody here knows such an interface.
        """
        self._wire.open()
        return self

    async def close(self) -> None:
        """Remove the nodes from the bus and close the interface; harmless where that was done.

        What waits for the bus is not sent any more: see `drain`.
        """
        for participant in list(self._participants.values()):
            participant.close()
        await self._wire.close()

    def node(self, settings: NodeSettings) -> Node:
        """Put a node on the bus.

        Raises:
            RefusedError: Another node of this process has its number.
        """
        return Node(self, settings)

    async def number_for(self, uid: bytes) -> int:
        """Return the number that the broker assigns to a node of a name; see `Directory.number`."""
        return await self._directory.number(uid)

    async def etag(self, node: int, subject: str) -> int:
        """Return a subject's etag; see `Directory.etag`."""
        return await self._directory.etag(node, subject)

    def join(self, participant: Participant) -> None:
        """Add a receiver of what others send.

        Raises:
            RefusedError: The number is in use in this process.
        """
        if self._participants.setdefault(participant.number, participant) is not participant:
            raise RefusedError(f"node number {participant.number} is in use on this bus")

    def leave(self, participant: Participant) -> None:
        """Remove a receiver; idempotent."""
        if self._participants.get(participant.number) is participant:
            del self._participants[participant.number]

    def offer(self, transmission: Transmission) -> None:
        """Queue something for the bus; see `Wire.offer`."""
        self._wire.offer(transmission)

    def send(self, frame: Frame, sender: int = NOBODY) -> None:
        """Queue a frame of the protocol for the bus; one that is refused is requested again."""
        with contextlib.suppress(EventServiceError):
            self.offer(Transmission(frame.can_id, iter((frame.data,)), _forget, sender))

    def withdraw(self, sender: int, can_id: int) -> None:
        """Let what a node has waiting for one of its channels be."""

        def unwanted(each: Transmission) -> bool:
            return each.sender == sender and each.can_id == can_id

        self._wire.withdraw(unwanted)

    @property
    def connected(self) -> bool:
        """Whether frames can be sent; sends nothing of whether anybody receives them."""
        return self._wire.connected

    @property
    def waiting(self) -> int:
        """How many events wait for the bus."""
        return self._wire.waiting

    @property
    def totals(self) -> dict[str, int]:
        """All that was counted on this bus, by name."""
        wire, own = self._wire.totals, asdict(self.counters)
        return {**wire, **own, "malformed": wire["malformed"] + own["malformed"]}

    def now_us(self) -> int:
        """Return the time of the bus: the wall clock, microseconds since 1970 UTC."""
        return wall_us()

    async def probe(self, deadline_s: float = 2.0) -> None:
        """Send a frame and wait until it was on the bus.

        Raises:
            NotConnectedError: It was not; the interface is opened again.
        """
        nonce = token_bytes(FRAME_BYTES)
        future = self._probes[nonce] = asyncio.get_running_loop().create_future()
        can_id = Identifier(CONFIG_PRIORITY, 0, Etag.PROBE).can_id
        try:
            self.offer(Transmission(can_id, iter((nonce,)), _forget, NOBODY))
            async with asyncio.timeout(deadline_s):
                await future
        except TimeoutError as error:
            self._wire.give_up("a frame did not come back from the bus")
            raise NotConnectedError(f"no frame came back within {deadline_s} s") from error
        finally:
            del self._probes[nonce]

    async def room(self) -> None:
        """Wait until less than half of what may wait for the bus does."""
        await self._wire.room()

    async def drain(self) -> None:
        """Wait until nothing waits for the bus any more."""
        await self._wire.drain()

    def malformed(self, reason: str, raw: bytes) -> None:
        """Set an event aside that nobody can understand."""
        self.counters.malformed += 1
        self._put_aside(reason, raw)

    def call(self, function: Callable[..., None], *given: object) -> None:
        """Call back an application; what it raises is counted and goes no further."""
        try:
            function(*given)
        except Exception:  # noqa: BLE001 - neither the bus nor the next callback suffers
            self.counters.callback_errors += 1
            _log.exception("callback_failed")

    def _heard(self, frame: Frame, sender: int | None) -> None:
        for monitor in self.monitors:
            self.call(monitor, frame)
        if frame.extended:
            self._take_protocol(frame, sender)
        for number, participant in list(self._participants.items()):
            if number != sender:
                participant.take(frame)

    def _take_protocol(self, frame: Frame, sender: int | None) -> None:
        _, node, etag = frame.identifier
        if etag == Etag.PROBE:
            future = self._probes.get(frame.data)
            if future is not None and not future.done():
                future.set_result(None)
        elif etag in ANSWERS:
            self._directory.take(frame)
        elif sender is None and etag >= RESERVED_ETAGS and node in self._participants:
            self.counters.conflicts += 1

    def _no_frame(self, reason: str) -> None:
        self._put_aside(reason, b"")

    def _put_aside(self, reason: str, raw: bytes) -> None:
        self.set_aside.append((reason, raw[:KEPT_BYTES]))
        if self.watchers:
            self.call(self.watchers[0], reason, raw)


def _forget(_outcome: Outcome, _now_us: int) -> None:
    """Ignore the outcome of a frame."""
