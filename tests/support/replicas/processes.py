"""Processes of a town: each has a loop of its own that stands still, goes on, and dies on command.

What the product awaits is woken from here, in virtual time and in one thread: a loop is nothing but
a queue of callbacks, and the timeline cranks it. So the product's own coroutines run, and a seed
decides what happens between any two of their steps.
"""

import asyncio
import contextvars
from asyncio import events
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, TypeVar, TypeVarTuple
from unittest.mock import patch

import fes_gateway.replicas.replica
import serving.clocks
from support.simulation.timeline import Timeline

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
STEPS = 20_000
"""Most callbacks of one process at one moment."""

TIMED = (
    fes_gateway.replicas.replica,
    serving.clocks,
)
"""Modules that look at a clock."""


class Process(asyncio.AbstractEventLoop):
    """One process.

    Args:
        town: Its timeline.
        name: For traces.
        call: Has the journal's thread do something, and is told its name.
        skew_us: How far its wall clock is ahead.

    Attributes:
        alive: Whether it was not killed.
        stalled: Whether it takes no steps.
    """

    def __init__(
        self,
        town: Timeline,
        name: str,
        call: Callable[["Process", Callable[[], object], "asyncio.Future[Any]", str], None],
        skew_us: int = 0,
    ) -> None:
        self.name = name
        self.alive = True
        self.stalled = False
        self.skew_us = skew_us
        self._town = town
        self._call = call
        self._ready: deque[asyncio.Handle] = deque()
        self._cranking = False
        self._on_resume: list[Callable[[], None]] = []
        self._context = contextvars.Context()

    def do(self, act: Callable[..., object], *given: object) -> None:
        """Have the process do something as soon as it takes steps."""
        if self.alive:
            self._ready.append(events.Handle(act, given, self, self._context))
            self.crank()

    def crank(self) -> None:
        """Take all steps that can be taken now."""
        if self._cranking or self.stalled or not self.alive:
            return
        self._cranking, before = True, events._get_running_loop()
        clock.process = self
        events._set_running_loop(self)
        try:
            self._step()
        finally:
            events._set_running_loop(before)
            self._cranking = False

    def stall(self) -> None:
        """Stand still, as a process does after SIGSTOP."""
        self.stalled = True

    def resume(self) -> None:
        """Go on with all that came meanwhile."""
        self.stalled = False
        acts, self._on_resume = self._on_resume, []
        for act in acts:
            act()
        self.crank()

    def on_resume(self, act: Callable[[], None]) -> None:
        """Have something happen once it goes on."""
        self._on_resume.append(act)

    def kill(self) -> None:
        """End at once; nothing of it happens any more."""
        self.alive = False
        self._ready.clear()
        self._on_resume.clear()

    # What coroutines need of a loop

    def time(self) -> float:
        """Return the clock that only goes forward, seconds."""
        return self._town.now_us / 1e6

    def call_soon(
        self,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        """Have something done behind what is to be done already."""
        handle = events.Handle(callback, args, self, context or self._context)
        self._ready.append(handle)
        return handle

    def call_soon_threadsafe(
        self,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        """Have something done that another thread asks for."""
        handle = self.call_soon(callback, *args, context=context)
        self.crank()
        return handle

    def call_later(
        self,
        delay: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        """Have something done later, seconds from now."""
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        """Have something done at a moment of its clock."""
        timer = events.TimerHandle(when, callback, args, self, context or self._context)
        self._town.at(max(0, round(when * 1e6) - self._town.now_us), lambda: self._fire(timer))
        return timer

    def create_future(self) -> "asyncio.Future[Any]":
        """Return a future."""
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, *, name: Any = None, context: Any = None) -> Any:
        """Return a task."""
        return asyncio.Task(coro, loop=self, name=name, context=context or self._context)

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> "asyncio.Future[T]":
        """Have the journal's thread do something."""
        future: asyncio.Future[T] = self.create_future()
        self._call(self, lambda: func(*args), future, func.__name__)
        return future

    def is_running(self) -> bool:
        """Tell that it runs."""
        return True

    def is_closed(self) -> bool:
        """Tell that it is not closed."""
        return False

    def get_debug(self) -> bool:
        """Tell that nothing is debugged."""
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Note what nobody caught: that is a fault of the product, unless it is dead."""
        if self.alive:
            error = context.get("exception")
            self._town.broken.append(f"{self.name}: {context.get('message')}: {error!r}")

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        del handle

    def _fire(self, timer: asyncio.TimerHandle) -> None:
        if self.alive and not timer.cancelled():
            self._ready.append(timer)
            self.crank()

    def _step(self) -> None:
        ready = self._ready
        for _ in range(STEPS):
            if not ready:
                return
            handle = ready.popleft()
            if not handle.cancelled():
                handle._run()
        self._town.broken.append(f"storm: {self.name} never rests")
        ready.clear()


class Clock:
    """Stands for the module `time` in the modules that are looked after."""

    def __init__(self) -> None:
        self.town: Timeline | None = None
        self.process: Process | None = None

    def monotonic(self) -> float:
        """Return the clock that only goes forward, seconds."""
        return 0.0 if self.town is None else self.town.now_us / 1e6

    def monotonic_ns(self) -> int:
        """Return the clock that only goes forward, nanoseconds."""
        return 0 if self.town is None else self.town.now_us * 1000

    def clock_gettime_ns(self, clock: int) -> int:
        """Return the clock that nobody sets, whichever is asked for."""
        del clock
        return 0 if self.town is None else self.town.now_us * 1000

    def time_ns(self) -> int:
        """Return the wall clock of the process that takes steps."""
        if self.town is None:
            return 0
        skew_us = 0 if self.process is None else self.process.skew_us
        return (self.town.now_us + skew_us) * 1000


clock = Clock()


@contextmanager
def virtual_time(town: Timeline) -> Iterator[None]:
    """Have the product's clocks be a town's."""
    clock.town, clock.process = town, None
    patches = [patch.object(module, "time", clock) for module in TIMED]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()
        clock.town = clock.process = None


def give(future: "asyncio.Future[Any]", found: object) -> None:
    """Give what was waited for, if somebody waits still."""
    if not future.done():
        future.set_result(found)


def fail(future: "asyncio.Future[Any]", error: Exception) -> None:
    """Tell that what was waited for failed, if somebody waits still."""
    if not future.done():
        future.set_exception(error)
