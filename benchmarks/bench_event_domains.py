"""Event domains: what the checks cost as a domain grows, what lists and logs cost, and chains.

Each decision is checked against a plain search, and every event of a chain against what was sent.
"""

import asyncio
import gc
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from eventservices.cns import ClientType, StructuredEvent, structured_event
from eventservices.cns.domains import ChannelPlace, Connection, EventDomainFactory
from eventservices.cns.domains.graph import (
    DiamondView,
    Digraph,
    cycle_of,
    elementary_cycles,
    list_diamonds,
    makes_diamond,
    new_diamonds,
    reached,
)
from eventservices.cns.domains.logs.attributes import LogFullAction
from eventservices.cns.domains.logs.log import Log
from eventservices.cns.domains.logs.manager import LogManager
from eventservices.cns.etcl.utc import ticks_now
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp
from report import keep
from serving.collector import collecting

SIZES: Final = (100, 1_000, 3_000, 10_000)
DEGREE: Final = 10
"""Connections for each channel."""

TRIALS: Final = 2_000
CHAINS: Final = (1, 3, 8)
EVENTS: Final = 5_000
RECORDS: Final = 1_000_000
WINDOW: Final = 1_000
"""Records of a window of times."""

WINDOWS: Final = 1_000


@dataclass(frozen=True)
class Row:
    """What one kind of work cost; milliseconds."""

    what: str
    size: int
    p50_ms: float
    p99_ms: float
    most_ms: float


def show() -> int:
    """Measure, print the table and write the file; return the exit status."""
    begun_s = time.monotonic()
    rows = [*_checks(), *_lists(), *asyncio.run(_log()), *asyncio.run(_chains())]
    print(f"\n{'event domains':<48}{'size':>9}{'median ms':>11}{'p99 ms':>10}{'most ms':>10}")
    for row in rows:
        figures = f"{row.p50_ms:>11.3f}{row.p99_ms:>10.3f}{row.most_ms:>10.3f}"
        print(f"{row.what:<48}{row.size:>9}{figures}")
    took_s = round(time.monotonic() - begun_s, 1)
    path = keep("event-domains", {"took_s": took_s, "results": [asdict(row) for row in rows]})
    print(f"written to {path}")
    return 0


def _row(what: str, size: int, times_s: list[float]) -> Row:
    ordered = sorted(times_s)
    p50_ms, p99_ms = (ordered[int(len(ordered) * part)] * 1000 for part in (0.5, 0.99))
    return Row(what, size, p50_ms, p99_ms, ordered[-1] * 1000)


def _checks() -> Iterator[Row]:
    for size in SIZES:
        draw = random.Random(size)
        yield _row("both checks, in layers", size, _trials(_layered(size, draw), draw))
        yield _row("both checks, a chain", size, _trials(_chain(size), draw))
        graph = _acyclic(size, draw)
        yield _row("cycle check alone, many routes", size, _trials(graph, draw, diamonds=False))


def _trials(graph: Digraph, draw: random.Random, *, diamonds: bool = True) -> list[float]:
    """Ask of connections that are not there; a refusal with its data belongs to the cost.

    What is measured is processor time, since others share the machine.
    """
    vertices = list(graph)
    times_s: list[float] = []
    while len(times_s) < TRIALS:
        source, target = draw.choice(vertices), draw.choice(vertices)
        if graph.has_edge(source, target):
            continue
        begun_s = time.process_time()
        cycle = cycle_of(graph, source, target)
        doubles = cycle is None and diamonds and makes_diamond(graph, source, target)
        if doubles:
            new_diamonds(graph, source, target, acyclic=True)
        times_s.append(time.process_time() - begun_s)
        if len(times_s) % 100 == 0:
            _verify(graph, source, target, cycle=cycle is not None)
    return times_s


def _verify(graph: Digraph, source: int, target: int, *, cycle: bool) -> None:
    """Compare with a plain search; a difference ends the benchmark."""
    if cycle != (source in reached(graph.successors, {target})):
        raise SystemExit(f"wrong about a cycle over {source}-{target}")


def _layered(size: int, draw: random.Random) -> Digraph:
    """Return two layers with ten connections a channel: dense, and without diamonds."""
    graph = Digraph()
    for vertex in range(size):
        graph.add_vertex(vertex)
    half, edges = size // 2, 0
    while edges < min(size * DEGREE, half * half // 2):
        source, target = draw.randrange(half), half + draw.randrange(size - half)
        if not graph.has_edge(source, target):
            graph.add_edge(source, target)
            edges += 1
    return graph


def _chain(size: int) -> Digraph:
    return Digraph((vertex, vertex + 1) for vertex in range(size - 1))


def _acyclic(size: int, draw: random.Random) -> Digraph:
    graph, order = Digraph(), list(range(size))
    draw.shuffle(order)
    for vertex in range(size):
        graph.add_vertex(vertex)
    for _ in range(size * DEGREE):
        before, after = sorted(draw.sample(range(size), 2))
        graph.add_edge(order[before], order[after])
    return graph


def _lists() -> Iterator[Row]:
    whole = Digraph((a, b) for a in range(100) for b in range(100) if a != b)
    views: tuple[tuple[str, Callable[[], object]], ...] = (
        ("get_cycles, 100 channels each to each", lambda: elementary_cycles(whole)),
        ("get_diamonds, the same", lambda: list_diamonds(whole)),
        ("get_diamonds by pairs, the same", lambda: list_diamonds(whole, DiamondView.PAIR)),
    )
    for what, work in views:
        begun_s = time.perf_counter()
        work()
        yield _row(what, 100, [time.perf_counter() - begun_s])


class _Clock:
    """Goes on by a tick whenever it is read, so that each record has a time of its own."""

    def __init__(self) -> None:
        self._now = ticks_now()

    def __call__(self) -> int:
        self._now += 1
        return self._now


async def _log() -> list[Row]:
    thresholds = gc.get_threshold()
    with TemporaryDirectory() as folder, collecting() as collector:
        collector.settle()
        manager = LogManager(Path(folder), _Clock())
        log, _ = manager.create(LogFullAction.WRAP, 0)
        for begin in range(0, RECORDS, 1_000):
            log.write_records([{"speed": number % 100} for number in range(begin, begin + 1_000)])
        rows = [*await _windows(log), *await _over_all(log)]
        manager.close()
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    return rows


async def _windows(log: Log) -> list[Row]:
    """Find windows of times anywhere in the log; the first query is among them."""
    draw, elapsed_s, processor_s = random.Random(1), list[float](), list[float]()
    turns = asyncio.create_task(_turns())
    for _ in range(WINDOWS):
        number = draw.randrange(1, RECORDS - WINDOW + 1)
        begin, end = (log.get_record(each).time for each in (number, number + WINDOW))
        begun_s, used_s = time.perf_counter(), time.process_time()
        found = await log.query(f"$.time >= {begin} and $.time < {end}").get(0, WINDOW)
        processor_s.append(time.process_time() - used_s)
        elapsed_s.append(time.perf_counter() - begun_s)
        if [each.id for each in found] != list(range(number, number + WINDOW)):
            raise SystemExit(f"the window from record {number} was wrong")
    what = "log: a window of 1,000 records"
    return [
        _row(what, RECORDS, elapsed_s),
        _row(f"{what}, processor", RECORDS, processor_s),
        *await _kept(turns),
    ]


async def _over_all(log: Log) -> list[Row]:
    begun_s, turns = time.perf_counter(), asyncio.create_task(_turns())
    if await log.match("$.info.speed == 7") != RECORDS // 100:
        raise SystemExit("the query over all records was wrong")
    took_s = time.perf_counter() - begun_s
    return [_row("log: ETCL over all records", RECORDS, [took_s]), *await _kept(turns)]


async def _kept(turns: asyncio.Task[list[tuple[float, float]]]) -> list[Row]:
    """Return how long each turn of the loop was, and what it used of the processor."""
    turns.cancel()
    elapsed_s, processor_s = zip(*await turns, strict=True)
    what = "log: turns of the loop meanwhile"
    return [
        _row(what, RECORDS, list(elapsed_s)),
        _row(f"{what}, processor", RECORDS, list(processor_s)),
    ]


async def _turns() -> list[tuple[float, float]]:
    """Return how long the loop was kept from others, and the processor time, until cancelled."""
    times_s: list[tuple[float, float]] = []
    try:
        while True:
            begun_s, used_s = time.perf_counter(), time.process_time()
            await asyncio.sleep(0)
            times_s.append((time.perf_counter() - begun_s, time.process_time() - used_s))
    except asyncio.CancelledError:
        return times_s


class _Far:
    """Is the consumer at the end of a chain; it verifies each event."""

    def __init__(self) -> None:
        self.times_s: list[float] = []
        self.sent_s: list[float] = []

    def push_structured_event(self, event: StructuredEvent, _stamp: Stamp | None) -> None:
        number = event.filterable_data["number"]
        if not isinstance(number, int) or number != len(self.times_s):
            raise SystemExit(f"event {number!r} came in the place of {len(self.times_s)}")
        self.times_s.append(time.perf_counter() - self.sent_s[number])


async def _chains() -> list[Row]:
    rows = []
    with TemporaryDirectory() as folder, NatsServer(ServerSpec("bench", Path(folder))) as server:
        for length in CHAINS:
            rows += await _over(server.url, length)
    return rows


async def _over(url: str, length: int) -> list[Row]:
    async with EventDomainFactory() as factory:
        domain, _ = await factory.create_event_domain({"CycleDetection": 1, "DiamondDetection": 1})
        for number in range(length + 1):
            await domain.add_channel(ChannelPlace(url, f"bench-{length}-{number}"))
        for number in range(length):
            joined = Connection(number, number + 1, ClientType.STRUCTURED_EVENT)
            await domain.add_connection(joined)
        far = _Far()
        await domain.connect_structured_push_consumer_with_id(far, length)
        near = await domain.connect_structured_push_supplier()

        async def send(pause_s: float, count: int) -> None:
            for number in range(count):
                far.sent_s.append(time.perf_counter())
                event = structured_event(("B", "E"), filterable_data={"number": number})
                await near.push_structured_event(event)
                await asyncio.sleep(pause_s if number % 50 == 49 or pause_s else 0)
            while len(far.times_s) < count:
                await asyncio.sleep(0.001)

        await send(0.002, 500)
        latency = _row(f"chain: latency over {length} connections", length, far.times_s)
        far.times_s, far.sent_s = [], []
        begun_s = time.perf_counter()
        await send(0.0, EVENTS)
        each_s = (time.perf_counter() - begun_s) / EVENTS
        throughput = _row(f"chain: time for each of {EVENTS} in a row", length, [each_s])
        return [latency, throughput]


if __name__ == "__main__":
    sys.exit(show())
