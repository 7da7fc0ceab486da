"""A connection that runs: it moves events out of one channel and publishes them on another."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from serving.clocks import wall_us

from eventservices.cns.domains.moving.forms import (
    Entry,
    Exit,
    Held,
    connect_entry,
    connect_exit,
    event_of,
    obtain_entry,
    obtain_exit,
)
from eventservices.cns.domains.moving.handles import Handle
from eventservices.cns.domains.moving.lifetime import ends_us, shortened
from eventservices.cns.domains.moving.positions import Positions
from eventservices.cns.domains.records import NotificationStyle
from eventservices.cns.domains.typed.interfaces import is_invocation
from eventservices.cns.errors import DisconnectedError, ImplLimitError
from eventservices.cns.moved import Moved
from eventservices.cns.options import ClientType
from eventservices.cns.persistent.publisher import Storing, stored
from eventservices.ending import ended
from eventservices.errors import EventServiceError, NotConnectedError
from eventservices.lasting import lasting

log = logging.getLogger(__name__)

BURST: Final = 64
"""Most events moved before the event loop turns to others."""

PAUSE_S: Final = 0.1
"""Pause before a channel that is full, or a broker that is away, is tried again."""

OPEN_S: Final = 10.0
"""Longest wait for a new connection to run, seconds."""


@dataclass(slots=True)
class Counters:
    """What became of the events of a connection.

    Attributes:
        moved: Published on the consumer channel.
        timed_out: Ended because their `Timeout` was over.
        went_round: Ended because they had passed as many connections as they may.
        lost: Best-effort events that could not be published, or that a full queue discarded.
        refused: Events that the consumer channel does not accept.
        passed_over: Events that are not calls of a typed connection's interface.
        withheld: Events of a log that does not forward.
        waits: Times that the consumer channel was full, or its broker away.
        discarded: Events that the queue before the connection discarded, or that ended in it.
    """

    moved: int = 0
    timed_out: int = 0
    went_round: int = 0
    lost: int = 0
    refused: int = 0
    passed_over: int = 0
    withheld: int = 0
    waits: int = 0
    discarded: int = 0


@dataclass(frozen=True, slots=True)
class MoverSpec:
    """How a connection runs.

    Attributes:
        name: Names it at the brokers, so that what waits for it there waits over a restart.
        form: The form in which events pass.
        style: `PULL` looks for events every `poll_s`, `PUSH` moves them as they come.
        poll_s: Time between two looks where there was nothing, seconds.
        repetitions: Whether an event passes again that comes again.
        most_connections: Connections that an event may pass, this one among them.
        forwards: Whether events pass at all: a log may keep them.
        interface: Name of the interface whose calls alone pass; empty where all events do.
        clock_us: The time by which events end, microseconds since 1970 UTC.
        positions: File that keeps how far events were moved; None where a restart forgets it.
    """

    name: str
    form: ClientType
    style: NotificationStyle
    poll_s: float = 0.1
    repetitions: Callable[[], bool] = field(default=lambda: False)
    most_connections: Callable[[], int] = field(default=lambda: 64)
    forwards: Callable[[], bool] = field(default=lambda: True)
    interface: str = ""
    clock_us: Callable[[], int] = field(default=wall_us)
    positions: Path | None = None


class Mover:
    """Runs a connection until it is closed.

    Args:
        spec: How.
        supplier: The channel that supplies.
        consumer: The channel that consumes.

    Attributes:
        counters: What became of its events.
        positions: How far it moved them, and how many it lacks.
    """

    def __init__(self, spec: MoverSpec, supplier: Handle, consumer: Handle) -> None:
        self.counters = Counters()
        self.positions = Positions(spec.positions)
        self._spec = spec
        self._supplier, self._consumer = supplier, consumer
        self._exit: Exit | None = None
        self._entry: Entry | None = None
        self._running = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def runs(self) -> bool:
        """Whether both channels are open, their brokers there, and events pass."""
        ends = self._supplier.connected and self._consumer.connected
        return ends and self._running.is_set()

    @property
    def counts(self) -> dict[str, int]:
        """What became of the events, by outcome.

        `missing` are those published first at the supplier channel that came to no other outcome
        (those discarded are among them); of best-effort ones, up to `in_doubt` of them were
        published all the same when the service or a broker ended.
        """
        waiting = 0 if self._exit is None else self._exit.discarded + self._exit.expired
        counted = asdict(self.counters)
        counted["discarded"] += waiting
        return counted | {
            "missing": self.positions.missing.total,
            "in_doubt": self.positions.in_doubt,
        }

    def start(self) -> None:
        """Run as soon as both channels are open."""
        name = f"event-domain-{self._spec.name}"
        self.positions.open()
        self._task = asyncio.create_task(lasting(self._run), name=name)

    async def start_now(self) -> None:
        """Run; when this returns, both brokers know of it.

        Raises:
            EventServiceError: A channel refused; nothing is left of the connection.
            NotConnectedError: A broker did not answer in time; likewise.
        """
        try:
            async with asyncio.timeout(OPEN_S):
                await self._connect()
        except TimeoutError as error:
            await self.close(forget=True)
            raise NotConnectedError("the channels did not answer in time") from error
        except BaseException:
            await self.close(forget=True)
            raise
        self.start()

    async def close(self, *, forget: bool) -> None:
        """End the connection.

        Args:
            forget: Whether it ends for good; else persistent events wait for it.
        """
        await ended(self._task)
        await self._disconnect(forget=forget)
        self.positions.close(forget=forget)

    async def _run(self) -> None:
        if not self._running.is_set():
            await self._connect()
        exit_, entry = self._exit, self._entry
        if exit_ is None or entry is None:
            return
        try:
            while True:
                batch = await self._next(exit_)
                await self._move(batch, entry)
                await asyncio.sleep(0)
        except EventServiceError:
            self._running.clear()  # it connects again from the beginning
            raise

    async def _connect(self) -> None:
        await self._disconnect(forget=False)
        supplier, consumer = await self._supplier.wait(), await self._consumer.wait()
        spec = self._spec
        self._entry = obtain_entry(consumer, spec.form)
        await connect_entry(self._entry)
        self._exit = obtain_exit(supplier, spec.form)
        durable = spec.name if self._exit.get_qos()["ConnectionReliability"] else ""
        await connect_exit(self._exit, durable=durable, repetitions=spec.repetitions())
        self._running.set()

    async def _disconnect(self, *, forget: bool) -> None:
        self._running.clear()
        exit_, self._exit = self._exit, None
        entry, self._entry = self._entry, None
        if exit_ is not None:
            await (exit_.destroy() if forget else exit_.close())
            self.counters.discarded += exit_.discarded + exit_.expired
        if entry is not None:
            await entry.destroy()

    async def _next(self, exit_: Exit) -> list[Held]:
        if self._spec.style is NotificationStyle.PUSH:
            return list(await exit_.hold(BURST))
        while not (found := exit_.try_hold(BURST)):  # noqa: ASYNC110 - try-pull is defined by polling
            await asyncio.sleep(self._spec.poll_s)
        return list(found)

    async def _move(self, batch: list[Held], entry: Entry) -> None:
        """Move events in order; persistent ones are sent together."""
        quick = sum(not held.persistent for held in batch)
        finished: list[Held] = []
        self.positions.begin(quick)
        try:
            await self._move_each(batch, entry, finished)
        finally:
            sent = sum(not held.persistent for held in finished)
            in_doubt = 0 if not sent or await self._consumer.confirmed() else sent
            self.positions.end([each.stamp for each in finished if _published_here(each)], in_doubt)

    async def _move_each(self, batch: list[Held], entry: Entry, finished: list[Held]) -> None:
        """Move events, and add to `finished` each that was moved, or that ends here."""
        waiting: list[tuple[Held, Storing]] = []
        for index, held in enumerate(batch):
            try:
                storing = await self._publish(held, entry)
            except BaseException:
                for each in reversed(batch[index:]):
                    each.again()
                raise
            if storing is None:
                held.done()
                finished.append(held)
            else:
                waiting.append((held, storing))
        for held, storing in waiting:
            try:
                await stored(storing)
            except NotConnectedError:
                held.again()
                continue
            except EventServiceError as error:
                self._refuse(held, error)
            else:
                self.counters.moved += 1
                held.done()
            finished.append(held)

    async def _publish(self, held: Held, entry: Entry) -> Storing | None:
        """Publish an event on the consumer channel, unless it ends here."""
        event = event_of(held, self._spec.form)
        if not self._spec.forwards():
            self.counters.withheld += 1
            return None
        if self._spec.interface and not is_invocation(event, self._spec.interface):
            self.counters.passed_over += 1
            return None
        came, now_us = held.moved or Moved(), self._spec.clock_us()
        ends = ends_us(event, held.received_us, came)
        if ends is not None and ends <= now_us:
            self.counters.timed_out += 1
            return None
        if came.connections >= self._spec.most_connections():
            self.counters.went_round += 1
            return None
        if ends is not None:
            event = shortened(event, ends - now_us)
        moved = Moved(came.connections + 1, ends, held.persistent)
        while True:
            try:
                storing = await entry.forward(event, held.stamp, moved)
            except EventServiceError as error:
                if not self._waits(held, error):
                    return None
                await asyncio.sleep(PAUSE_S)
            else:
                self.counters.moved += storing is None
                return storing

    def _waits(self, held: Held, error: EventServiceError) -> bool:
        """Return whether an event that was not published is tried again; else it is counted.

        Raises:
            DisconnectedError: The consumer channel's side is gone.
        """
        if isinstance(error, DisconnectedError):
            raise error
        away = isinstance(error, NotConnectedError)
        if isinstance(error, ImplLimitError) or (away and held.persistent):
            self.counters.waits += 1
            return True
        if away:
            self.counters.lost += 1
        else:
            self._refuse(held, error)
        return False

    def _refuse(self, held: Held, error: EventServiceError) -> None:
        self.counters.refused += 1
        held.done()
        details = {"connection": self._spec.name, "reason": str(error)}
        log.warning("event_not_moved", extra=details)


def _published_here(held: Held) -> bool:
    """Return whether an event came to its first channel as its publisher's next one."""
    return held.moved is None and held.stamp is not None and not held.stamp.via
