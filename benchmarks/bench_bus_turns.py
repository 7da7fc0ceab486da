"""How long the longest turn of a bus's event loop is where much ends, or is requested, at once.

`python benchmarks/bench_bus_turns.py`. The core alone, without a broker: a turn is one call of it
with what `BusCore.take` returns, messages encoded, by the time of the thread. What Python's
collector takes of a turn is a column of its own: it grows with all that a process keeps.
"""

import gc
import time
from collections.abc import Callable
from typing import Any, Final

from eventservices.bus.core import BusCore, BusSettings, Decide, Decision, Reply, Send
from eventservices.bus.wire.messages import EBHello, EBSubscribe, encode

BEGIN_US: Final = 1_000_000_000_000_000
TICK_US: Final = 25_000
NAME: Final = "a"


class Collected:
    """Adds up for how long Python's collector ran."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._begun = 0.0
        gc.callbacks.append(self._note)

    def _note(self, phase: str, info: dict[str, int]) -> None:
        del info
        if phase == "start":
            self._begun = time.thread_time()
        else:
            self.seconds += time.thread_time() - self._begun


COLLECTED: Final = Collected()


class Turns:
    """Times each turn of one bus.

    Args:
        settings: Of the bus.
    """

    def __init__(self, settings: BusSettings) -> None:
        self.now_us = BEGIN_US
        self.core = BusCore("b", "bench", settings, BEGIN_US)
        self.longest_ms = 0.0
        self.collector_ms = 0.0
        self.turns = 0

    def turn(self, work: Callable[[], object]) -> list[Any]:
        """Perform one turn; return its outputs."""
        begun, before = time.thread_time(), COLLECTED.seconds
        work()
        outputs = self.core.take().outputs
        for each in outputs:
            if isinstance(each, Send):
                encode(each.message)
        lasted_s, collected_s = time.thread_time() - begun, COLLECTED.seconds - before
        self.longest_ms = max(self.longest_ms, (lasted_s - collected_s) * 1e3)
        self.collector_ms = max(self.collector_ms, collected_s * 1e3)
        self.turns += 1
        return outputs

    def tick(self, ticks: int = 1) -> None:
        """Let time pass."""
        for _ in range(ticks):
            self.now_us += TICK_US
            self.turn(lambda: self.core.tick(self.now_us))

    def hello(self, bus: str) -> None:
        """Have a bus be alive."""
        self.turn(lambda: self.core.receive(bus, EBHello(1, 1), self.now_us))

    def begin(self) -> None:
        """Count from here."""
        gc.collect()
        self.longest_ms, self.collector_ms, self.turns = 0.0, 0.0, 0


def unanswered() -> Turns:
    """2,000 sinks at 100 dead buses, without a naming service."""
    turns = Turns(BusSettings())
    for number in range(100):
        turns.hello(f"x{number}")
    turns.begin()
    for number in range(2_000):
        _subscribe(turns, number)
        turns.turn(lambda: turns.core.found(NAME, None, turns.now_us))
        if number % 50 == 49:
            turns.tick()
    turns.tick(2_000)
    return turns


def _subscribe(turns: Turns, call: int) -> None:
    turns.turn(
        lambda: turns.core.subscribe(
            "c", call, NAME, None, user="", device="", durable="", now_us=turns.now_us
        )
    )


def crashed(sinks: int, messages: int) -> Turns:
    """One bus with sinks, and messages that wait for it, crashes."""
    turns = Turns(BusSettings())
    core = turns.core
    core.advertise("s", 1, NAME, turns.now_us)
    source = next(each.number for each in core.take().outputs if isinstance(each, Reply))
    turns.hello("x")
    for number in range(1, sinks + 1):
        core.receive("x", EBSubscribe(NAME, number, number, None, "", ""), turns.now_us)
    for call in range(messages):
        core.notify(
            *("s", call, source, {"n": call}),
            attributes={}, persistent=True, stamp=None, now_us=turns.now_us,
        )  # fmt: skip
    core.take()
    turns.begin()
    turns.tick(1_600)
    if core.counters["buses_cleaned"] != 1 or core.counters["waiting_to_send"]:
        raise SystemExit("it was not cleaned up")
    return turns


def client_crashed() -> Turns:
    """A client with 2,000 sinks at 20 live buses crashes."""
    turns = Turns(BusSettings(naming=True))
    for number in range(20):
        turns.hello(f"x{number}")
    for number in range(2_000):
        _subscribe(turns, number)
    for _ in range(300):
        turns.core.found(NAME, [f"x{each}" for each in range(20)], turns.now_us)
        turns.tick()
    turns.begin()
    turns.turn(lambda: turns.core.client_gone("c", turns.now_us))
    turns.tick(1_000)
    return turns


def lanes() -> Turns:
    """500 lanes to buses that do not answer, each with a full window."""
    turns = Turns(BusSettings())
    core = turns.core
    for number in range(100):
        turns.hello(f"x{number}")
    for name in range(5):
        core.advertise("s", name, f"n{name}", turns.now_us)
        source = next(each.number for each in core.take().outputs if isinstance(each, Reply))
        for number in range(100):
            request = EBSubscribe(f"n{name}", 1, 1, None, "", "")
            core.receive(f"x{number}", request, turns.now_us)
        for call in range(256):
            core.notify(
                *("s", call, source, {"n": call}),
                attributes={}, persistent=False, stamp=None, now_us=turns.now_us,
            )  # fmt: skip
    core.take()
    turns.begin()
    turns.tick(1_000)
    return turns


def rights() -> Turns:
    """20,000 rights are decided again at once."""
    turns = Turns(BusSettings(policy=True))
    turns.core.advertise("s", 1, NAME, turns.now_us)
    for bus in range(20):
        turns.hello(f"x{bus}")
        for number in range(1, 1_001):
            turns.core.receive(f"x{bus}", EBSubscribe(NAME, number, 1, None, "u", ""), turns.now_us)
    for each in turns.core.take().outputs:
        if isinstance(each, Decide):
            turns.core.decided(each, Decision(True, "r", BEGIN_US + 3_600_000_000), turns.now_us)
    turns.core.take()
    turns.begin()
    turns.turn(lambda: turns.core.recheck("", turns.now_us))
    turns.tick(100)
    return turns


KINDS: Final[dict[str, Callable[[], Turns]]] = {
    "2,000 sinks at 100 dead buses": unanswered,
    "a bus with 1,000 sinks, 3,000 messages crashes": lambda: crashed(1_000, 3_000),
    "a bus with 10,000 sinks, 10,000 messages crashes": lambda: crashed(10_000, 10_000),
    "a client with 2,000 sinks at 20 buses crashes": client_crashed,
    "500 full lanes to dead buses": lanes,
    "20,000 rights are decided again": rights,
}


def show() -> None:
    """Print the longest turn of each kind."""
    print(f"{'':50} {'longest turn, ms':>16} {'collector, ms':>14} {'turns':>8}")
    for kind, measure in KINDS.items():
        turns = measure()
        times = f"{turns.longest_ms:16.1f} {turns.collector_ms:14.1f}"
        print(f"{kind:50} {times} {turns.turns:8}")


if __name__ == "__main__":
    show()
