"""How many files one event, and one request, pass through on their way across a gateway.

    cd tests; python -m support.house.trace

A gateway and two event services in memory are hosted as `fes run` hosts them. Each Python call
into a source file is noted between the moment when an event is published, or a request is posted,
and the moment when its effect is there. Of several repetitions the one with the fewest calls
counts: the others met a tick, a heartbeat or an acknowledgement of something else.
"""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import httpx
from fes.federation.load import loads
from fes.model import Event
from fes.testing.memory import MemoryBus, MemoryClient, buses
from fes_gateway.http.server import server_of
from fes_gateway.pack import Pack, PackSettings

ROOT = Path(__file__).parents[3]
REPETITIONS = 40
METERS = ("serving/turns.py", "serving/collector.py")
"""Timers that run beside, whatever passes: how long turns and collections of garbage last."""
WAITING = "eventservices/slices.py"
"""Its private functions are called where somebody waits: that depends on what else is done."""
FEDERATION = """
version: 1
system: test
event_services:
  north: {kind: memory, settings: {bus: "%(tag)s north"}}
  south: {kind: memory, settings: {bus: "%(tag)s south"}}
gateways:
  g: {adapters: {north: {}, south: {}}}
"""


@dataclass(slots=True)
class Trace:
    """What was called.

    Attributes:
        calls: Calls of functions in source files, in order: file and function.
        moves: Of these, calls from one source file into another.
        passing: The source files that such a call came from: what a reader follows. The others are
            called and return.
    """

    calls: list[tuple[str, str]] = field(default_factory=list)
    moves: int = 0
    passing: set[str] = field(default_factory=set)

    @property
    def files(self) -> list[str]:
        """The files that were entered, in the order of the first call."""
        return list(dict.fromkeys(file for file, _ in self.calls))


@contextmanager
def tracing(root: Path = ROOT) -> Iterator[Trace]:
    """Note the calls that this thread makes into source files of the house."""
    trace, sources = Trace(), tuple(f"{root}/{part}/" for part in ("libs", "services"))

    def note(frame: FrameType, kind: str, _arg: object) -> None:
        code = frame.f_code
        file = code.co_filename
        if kind != "call" or not file.startswith(sources) or file.endswith(METERS):
            return
        if file.endswith(WAITING) and code.co_name.startswith("_"):
            return
        trace.calls.append((file.removeprefix(f"{root}/"), code.co_qualname))
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(sources):
            caller = caller.f_back
        if caller is None:
            trace.moves += 1
        elif caller.f_code.co_filename != file:
            trace.moves += 1
            trace.passing.add(caller.f_code.co_filename.removeprefix(f"{root}/"))

    sys.setprofile(note)
    try:
        yield trace
    finally:
        sys.setprofile(None)


async def event_and_request(root: Path = ROOT) -> tuple[Trace, Trace]:
    """Return the traces of one event between two services, and of one request from REST."""
    with tempfile.TemporaryDirectory() as folder:
        async with _gateway(Path(folder)) as (url, http):
            request = await _fewest(root, lambda number: _request(folder, url, http, number))
            event = await _fewest(root, _event(folder))
    return event, request


async def _fewest(
    root: Path, prepare: Callable[[int], Awaitable[Callable[[], Awaitable[None]]]]
) -> Trace:
    found = []
    for number in range(REPETITIONS):
        act = await prepare(number)
        with tracing(root) as trace:
            await act()
        found.append(trace)
        await asyncio.sleep(0)
    return min(found, key=lambda trace: (trace.moves, len(trace.calls)))


async def _request(
    tag: str, url: str, http: httpx.AsyncClient, number: int
) -> Callable[[], Awaitable[None]]:
    body: dict[str, Any] = {"type": "subscription", "source": "south", "dist_list": "north"}
    body["filter"] = f"subject = 'Speed' AND rate > {30 + number}"
    if number:  # each filter is wider than the one before would be: none covers a later one
        body["filter"] = f"subject = 'Speed{number}' AND rate > 30"
    bus = buses[f"{tag} north"]

    async def act() -> None:
        answer = await http.post(f"{url}/gateways/g/v1/requests", json=body)
        answer.raise_for_status()
        await _until(lambda: body["filter"] in bus.subscribed)

    return act


def _event(tag: str) -> Callable[[int], Awaitable[Callable[[], Awaitable[None]]]]:
    car = MemoryClient(_named(tag, "north"), "car")
    city = MemoryClient(_named(tag, "south"), "city")

    async def prepare(number: int) -> Callable[[], Awaitable[None]]:
        async def act() -> None:
            car.publish(Event.of("Speed", rate=50.0))
            await _until(lambda: len(city.events()) > number)

        return act

    return prepare


def _named(tag: str, service: str) -> MemoryBus:
    bus = buses[f"{tag} {service}"]
    bus.name = service
    return bus


async def _until(there: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not there():  # noqa: ASYNC110 - what is awaited is a state of another part
            await asyncio.sleep(0)


@asynccontextmanager
async def _gateway(folder: Path) -> Any:
    federation = loads(FEDERATION % {"tag": folder}, {})
    pack = Pack(federation, PackSettings("test", ("g",), frozenset(), folder), folder)
    server = server_of(pack, "127.0.0.1", 0)
    async with pack, httpx.AsyncClient(timeout=10, trust_env=False) as http:
        await server.start()
        try:
            await _until(lambda: pack.ready)
            yield server.url, http
        finally:
            await server.stop()


def main() -> None:
    """Print the figures, and with `--files` the files in their order."""
    event, request = asyncio.run(event_and_request())
    for name, trace in (("one event", event), ("one request", request)):
        figures = f"{len(trace.files)} files, {len(trace.passing)} of them pass it on, "
        figures += f"{len(trace.calls)} calls, {trace.moves} moves"
        sys.stdout.write(f"{name}: {figures}\n")
        if "--files" in sys.argv:
            sys.stdout.writelines(f"  {file}\n" for file in trace.files)


if __name__ == "__main__":
    main()
