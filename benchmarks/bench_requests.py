"""Requests: what one more costs among 1,000 to 100,000 live ones, in the core and at an adapter.

The core runs without journal, network and loop, and the adapter subscribes in memory: only what
grows with the number of requests would show.
"""

import asyncio
import itertools
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from fes.adapter.outbound.native_subscriptions import Natives
from fes.control import ControlEvent, RequestType
from fes.federation.load import loads
from fes.filter import Filter
from fes.gateway import GatewayCore, GatewaySettings
from fes.gateway.inputs import Inject, LinkUp, Tick
from fes.gateway.settings import Instant
from fes.model import Stamp
from report import keep

SIZES: Final = (1_000, 10_000, 100_000)
PROBES: Final = 300
"""Requests that are made, and withdrawn again, to measure one."""

SUBJECTS: Final = 1_000
NOW: Final = Instant(1_000_000_000, 1_000_000_000)
FEDERATION: Final = """
version: 1
system: bench
event_services: {north: {kind: memory}, south: {kind: memory}}
gateways: {g: {adapters: {north: {}, south: {}}}}
limits: {requests: 1000000, requests_bytes: 1000000000}
"""


@dataclass(frozen=True)
class Row:
    """Cost of one request among `live` others; microseconds of processor time.

    Attributes:
        live: How many requests there are besides.
        request_us: To accept one, and to order its subscription; median.
        withdraw_us: To withdraw it; median.
        native_us: To change the native subscriptions for it, there and back; median.
        tick_ms: One tick of the core, milliseconds.
    """

    live: int
    request_us: float
    withdraw_us: float
    native_us: float
    tick_ms: float


class Nothing:
    """An adapter whose event service does nothing."""

    async def subscribe(self, _subscription: Any) -> tuple[str, ...]:
        """Subscribe to nothing."""
        return ()

    async def unsubscribe(self, _subscription: Any) -> None:
        """Unsubscribe from nothing."""


def filter_of(number: int) -> str:
    """Return a filter that no other covers: ever less of one of a thousand subjects."""
    return f"subject = 'S{number % SUBJECTS}' AND zone = {number // SUBJECTS} AND rate > 30"


def request(number: int, kind: RequestType, sequence: int) -> ControlEvent:
    """Return a request of south's clients for what is published at north."""
    return ControlEvent(
        stamp=Stamp("bench", 1, sequence, NOW.time_us, "south"),
        type=kind,
        source="south",
        dist_list="north",
        filter=filter_of(number),
        system="bench",
        requester="bench",
    )


class Core:
    """A gateway's core that has requests.

    Args:
        live: How many.
    """

    def __init__(self, live: int) -> None:
        self._core = GatewayCore(GatewaySettings.of(loads(FEDERATION, {}), "g"))
        self._sequence = itertools.count(1)
        self._live = live
        for name in ("north", "south"):
            self._core.handle(LinkUp(), NOW, name)
        for number in range(live):
            self._handle(number, RequestType.SUBSCRIPTION)
        found = len(self._core.applied("north"))
        if found != live:
            raise RuntimeError(f"of {live} requests {found} are applied")

    def measure(self) -> tuple[float, float, float]:
        """Return what a request and its withdrawal cost, microseconds, and a tick, milliseconds."""
        made, withdrawn = [], []
        for number in range(self._live, self._live + PROBES):
            made.append(self._handle(number, RequestType.SUBSCRIPTION))
            withdrawn.append(self._handle(number, RequestType.UNSUBSCRIPTION))
        begun_s = time.thread_time()
        self._core.handle(Tick(), NOW)
        tick_s = time.thread_time() - begun_s
        return statistics.median(made), statistics.median(withdrawn), 1e3 * tick_s

    def _handle(self, number: int, kind: RequestType) -> float:
        made = Inject(request(number, kind, next(self._sequence)))
        begun_s = time.thread_time()
        self._core.handle(made, NOW)
        return 1e6 * (time.thread_time() - begun_s)


async def native_us(live: int) -> float:
    """Return what a filter more costs at an adapter, there and back; microseconds."""
    adapter: Any = Nothing()
    natives, found = Natives(adapter), []
    for number in range(live):
        await natives.add(number, Filter.of(filter_of(number)))
    if natives.counters["maximal_subscriptions"] != live or not natives.settled:
        raise RuntimeError(f"of {live} filters not each has a native subscription")
    for number in range(live, live + PROBES):
        filter_ = Filter.of(filter_of(number))
        begun_s = time.thread_time()
        await natives.add(number, filter_)
        await natives.remove(number, filter_)
        found.append(1e6 * (time.thread_time() - begun_s))
    return statistics.median(found)


def measure(sizes: Sequence[int] = SIZES) -> Iterator[Row]:
    """Measure each size."""
    for live in sizes:
        made, withdrawn, tick_ms = Core(live).measure()
        native = asyncio.run(native_us(live))
        yield Row(live, round(made, 1), round(withdrawn, 1), round(native, 1), round(tick_ms, 2))


def show(sizes: Sequence[int] = SIZES) -> int:
    """Measure, print the table and write the file; return the exit status."""
    print("Requests: processor time of one more, among others that live.")
    print("      live  request µs  withdraw µs  native µs  tick ms")
    rows = []
    for row in measure(sizes):
        rows.append(row)
        figures = f"{row.request_us:10.1f}  {row.withdraw_us:11.1f}  {row.native_us:9.1f}"
        print(f"{row.live:10,}  {figures}  {row.tick_ms:7.2f}", flush=True)
    path = keep("requests", {"results": [asdict(row) for row in rows]})
    print(f"written to {path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(show())
