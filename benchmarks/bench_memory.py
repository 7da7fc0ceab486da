"""What a gateway's tables take of memory, beside what they account for.

    python benchmarks/bench_memory.py

Each table is filled in a process of its own, to its bound or `MOST` entries. The last column is
what matters: a table never takes much more than it accounts for, so that a gateway stays within
its container.
"""

import gc
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fes.control import ControlEvent, RequestType
from fes.gateway import AdapterSettings, GatewayCore, GatewaySettings
from fes.gateway.inputs import Inject, LinkUp
from fes.gateway.settings import Instant
from fes.link.messages import Heard
from fes.model import Event, Stamp, binary

MIB = 1024 * 1024
NOW = Instant(1_000_000_000, 1_000_000_000)
SIZES = (10, 1_000, 100_000)
"""Bytes of text in each event."""

MOST = 1_500
"""Most entries that are measured."""


def resident_bytes() -> int:
    """Return what this process takes of memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def core_of() -> GatewayCore:
    """Return a gateway between two event services; the second is away."""
    adapters = {name: AdapterSettings(f"g.{name}", name) for name in ("a", "b")}
    core = GatewayCore(GatewaySettings("g", "bench", adapters, ("a", "b")))
    core.handle(LinkUp(persistent=True), NOW, "a")
    return core


def request(core: GatewayCore, number: int, kind: RequestType, **changes: Any) -> None:
    """Have a request come over the API."""
    stamp = Stamp("g/api", 1, number, NOW.wall_us, "a")
    told: dict[str, Any] = {"source": "b", "dist_list": "a", "requester": "bench", **changes}
    core.handle(Inject(ControlEvent(stamp=stamp, system="bench", type=kind, **told)), NOW)


def announcements(core: GatewayCore, size: int) -> Iterator[int]:
    """Announce subjects, each with an event."""
    for number in range(1, 1_000_000):
        event = Event.of(f"Subject{number}", text=f"{number}".ljust(size, "x"))
        request(core, number, RequestType.ANNOUNCEMENT, event=event, source="a", dist_list="b")
        yield core.table.bytes


def subscriptions(core: GatewayCore, size: int) -> Iterator[int]:
    """Subscribe with a filter each."""
    for number in range(1, 1_000_000):
        text = f"subject = 'Speed{number}' AND licence <> '{'x' * min(size, 1000)}'"
        request(core, number, RequestType.SUBSCRIPTION, filter=text)
        yield core.table.bytes


def events(core: GatewayCore, size: int, **changes: Any) -> Iterator[None]:
    """Have events heard."""
    request(core, 1, RequestType.SUBSCRIPTION, filter="subject = 'Speed'")
    (applied,) = core.applied("a")
    for number in range(1, 1_000_000):
        body = binary.encode(Event.of("Speed", text=f"{number}".ljust(size, "x")))
        stamp = Stamp(f"a/client{number % 50}", 1, number, NOW.time_us, "a")
        told = {"expires_us": 0, "persistent": False, "starts_us": 0, **changes}
        core.handle(
            Heard(
                stamp,
                (),
                "Speed",
                (applied.number,),
                1,
                told["expires_us"],
                0,
                told["persistent"],
                body,
                told["starts_us"],
            ),
            NOW,
            "a",
        )
        yield


def custody(core: GatewayCore, size: int) -> Iterator[int]:
    """Keep persistent events for the event service that is away."""
    for _ in events(core, size, persistent=True):
        yield core.delivery.custody.bytes


def waiting(core: GatewayCore, size: int) -> Iterator[int]:
    """Keep events that wait for their `StartTime`."""
    for _ in events(core, size, starts_us=NOW.time_us + 1_000_000):
        yield core.delivery.waiting_bytes


TABLES: dict[str, Callable[[GatewayCore, int], Iterator[int]]] = {
    "announcements": announcements,
    "subscriptions": subscriptions,
    "custody": custody,
    "waiting": waiting,
}


def measure(table: str, size: int) -> dict[str, float]:
    """Fill a table until it grows no more; return what it accounts for, and what it takes."""
    core = core_of()
    filling = TABLES[table](core, size)
    accounted = next(filling)
    gc.collect()
    before = resident_bytes()
    entries = 1
    for now in filling:
        if now == accounted or entries == MOST:
            break
        accounted, entries = now, entries + 1
    gc.collect()
    taken = resident_bytes() - before
    return {
        "entries": entries,
        "accounted_mib": accounted / MIB,
        "resident_mib": taken / MIB,
        "ratio": taken / accounted,
    }


def main() -> None:
    """Measure every table at every size, each in a process of its own."""
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
        return
    print(f"{'table':14} {'text':>7} {'entries':>8} {'accounted':>10} {'resident':>9} {'ratio':>6}")
    for table in TABLES:
        for size in SIZES:
            command = [sys.executable, __file__, table, str(size)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            found = json.loads(done.stdout)
            print(
                f"{table:14} {size:7} {found['entries']:8.0f} {found['accounted_mib']:7.1f} MiB"
                f" {found['resident_mib']:5.1f} MiB {found['ratio']:6.2f}"
            )


if __name__ == "__main__":
    main()
