"""The stations: native clients of the first event service, which know nothing of a federation."""

import asyncio
import itertools
import time
from collections.abc import Sequence
from pathlib import Path

from eventservices.cns import (
    ClientType,
    Connection,
    EventChannel,
    QoS,
    Reliability,
    SequenceProxyPushConsumer,
    StructuredEvent,
    structured_event,
)
from eventservices.stamp import Stamper
from serving.clocks import wall_us

from persistent_scenario.kills import place_of
from persistent_scenario.records import (
    KILLED,
    PUBLISHED,
    LineCount,
    Recorder,
    Stored,
    Tried,
    read_plan,
)
from persistent_scenario.story import CHANNEL, SUBJECT, Reading, stream
from persistent_scenario.waiting import until

BATCH = 50
"""Most readings of a station that wait for an acknowledgement together."""

KILLS_S = 3600.0
"""Longest wait for the last kill."""

KEEP: dict[str, object] = {QoS.CONNECTION_RELIABILITY: Reliability.PERSISTENT}


async def publish(folder: Path, url: str) -> None:
    """Publish the whole stream of a run, and write down what became of it.

    A reading is written down before it is published, and again when the event service has
    acknowledged it. The last ones are published when nothing will be killed any more.

    Args:
        folder: The run folder, planned.
        url: Broker of the first event service.

    Raises:
        EventServiceError: A reading was refused.
    """
    plan = read_plan(folder)
    readings = list(stream(plan.events, plan.origins, plan.seed))
    last_kill = place_of(plan.kills, plan.kills, len(readings))
    recorder = Recorder(folder / PUBLISHED)
    killed = LineCount(folder / KILLED)
    async with (
        Connection(url, name="stations") as connection,
        await connection.open_channel(CHANNEL, qos=KEEP) as channel,
    ):
        names = dict.fromkeys(each.origin for each in readings)
        stations = [await _open(channel, Stamper(name, plan.first), recorder) for name in names]
        await _publish(stations, readings[:last_kill], plan.rate)
        await until(lambda: killed.read() >= plan.kills, KILLS_S, "the last kill")
        await _publish(stations, readings[last_kill:], plan.rate)
    recorder.close()


class _Station:
    """Publishes in order, a batch at a time.

    Args:
        proxy: Where it publishes.
        stamper: Returns its readings their identities.
        recorder: Where it writes down what became of them.
    """

    def __init__(
        self, proxy: SequenceProxyPushConsumer, stamper: Stamper, recorder: Recorder
    ) -> None:
        self.name = stamper.origin
        self._proxy = proxy
        self._stamper = stamper
        self._recorder = recorder

    async def publish(self, due: Sequence[tuple[float, Reading]], start_s: float) -> None:
        """Publish readings, each when it is due.

        Args:
            due: Seconds after the start, and the reading.
            start_s: The start, monotonic.
        """
        at = 0
        while at < len(due):
            await asyncio.sleep(max(0.0, start_s + due[at][0] - time.monotonic()))
            batch = _late(due[at : at + BATCH], time.monotonic() - start_s)
            at += len(batch)
            stamps = [self._stamper.next() for _ in batch]
            identities = [f"{each.origin}/{each.epoch}/{each.sequence}" for each in stamps]
            self._recorder.write(*map(_tried, batch, identities))
            await self._proxy.push_structured_events(list(map(_event, batch)), stamps=stamps)
            self._recorder.write(*(Stored(identity, wall_us()) for identity in identities))


async def _open(channel: EventChannel, stamper: Stamper, recorder: Recorder) -> _Station:
    admin = channel.default_supplier_admin
    proxy = admin.obtain_notification_push_consumer(ClientType.SEQUENCE_EVENT)
    await proxy.connect_sequence_push_supplier(origin=stamper.origin)
    return _Station(proxy, stamper, recorder)


async def _publish(stations: Sequence[_Station], readings: Sequence[Reading], rate: float) -> None:
    start_s = time.monotonic()
    due: dict[str, list[tuple[float, Reading]]] = {each.name: [] for each in stations}
    for number, reading in enumerate(readings):
        due[reading.origin].append((number / rate if rate else 0.0, reading))
    async with asyncio.TaskGroup() as working:
        for each in stations:
            working.create_task(each.publish(due[each.name], start_s), name=each.name)


def _late(due: Sequence[tuple[float, Reading]], passed_s: float) -> list[Reading]:
    """Return the first reading, and those after it that are due as well."""
    first, *others = due
    late = itertools.takewhile(lambda each: each[0] <= passed_s, others)
    return [first[1], *(reading for _, reading in late)]


def _tried(reading: Reading, identity: str) -> Tried:
    return Tried(reading.origin, reading.number, reading.value, identity, wall_us())


def _event(reading: Reading) -> StructuredEvent:
    return structured_event(
        ("", SUBJECT),
        variable_header={"EventReliability": int(Reliability.PERSISTENT)},
        filterable_data={
            "station": reading.origin,
            "number": reading.number,
            "value": reading.value,
        },
    )
