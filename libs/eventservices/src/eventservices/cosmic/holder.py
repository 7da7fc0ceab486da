"""Events of at most 8 bytes, kept until they may be passed on.

Two things can delay an event: its attributes, which follow it in frames of their own, and the end
of its slot, at which a hard real-time event is passed on so that it comes without jitter. Events of
one source stay in order.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from eventservices.cosmic.attributes import EventAttributes, Following
from eventservices.cosmic.frame import Frame, Source

MOST_HELD: Final = 4096
"""Most events that wait at once; the oldest of the same source goes first, as it is."""

MOST_EARLY: Final = 256
"""Most attributes kept that came before their event; the oldest is dropped first."""

_NEVER: Final = 1 << 62


@dataclass(slots=True)
class _Held:
    frame: Frame
    give_up_us: int
    not_before_us: int
    attributes: EventAttributes | None = None

    def ready(self, now_us: int) -> bool:
        """Return whether it may be passed on."""
        known = self.attributes is not None or self.give_up_us <= now_us
        return known and self.not_before_us <= now_us

    @property
    def ready_us(self) -> int:
        """When it may be passed on, whatever comes meanwhile."""
        given_up_us = 0 if self.attributes is not None else self.give_up_us
        return max(given_up_us, self.not_before_us)


Emit = Callable[[Frame, EventAttributes | None], None]
"""Is called with each event, and its attributes; None where they did not follow in time."""


class Holder:
    """Retains events for one node.

    Args:
        emit: Is called with the events, in order.

    Attributes:
        astray: Attributes whose event was not there.
    """

    def __init__(self, emit: Emit) -> None:
        self.astray = 0
        self._emit = emit
        self._held: dict[Source, deque[_Held]] = {}
        self._early: deque[Following] = deque(maxlen=MOST_EARLY)
        self._count = 0

    def put(self, frame: Frame, give_up_us: int, not_before_us: int, now_us: int) -> None:
        """Accept an event.

        Args:
            frame: That carried it.
            give_up_us: Until when its attributes are waited for.
            not_before_us: Before when it must not be passed on.
            now_us: Of the same clock.
        """
        queue = self._held.setdefault(frame.source, deque())
        held = _Held(frame, give_up_us, not_before_us, self._came_early(frame))
        queue.append(held)
        self._count += 1
        if self._count > MOST_HELD:
            self._hand_over(queue.popleft())
        self.release(now_us, frame.source)

    def follow(self, following: Following, now_us: int) -> None:
        """Accept attributes that follow an event; those of events before it did not come."""
        source = (following.source, following.extended)
        queue = self._held.get(source, deque())
        for number, held in enumerate(queue):
            if held.attributes is None and held.frame.data == following.content:
                held.attributes = following.attributes
                for before in list(queue)[:number]:
                    before.give_up_us = now_us
                self.release(now_us, source)
                return
        if len(self._early) == MOST_EARLY:
            self.astray += 1
        self._early.append(following)

    def release(self, now_us: int, source: Source | None = None) -> None:
        """Pass on what may be, of one source or of all."""
        for each in (source,) if source is not None else tuple(self._held):
            queue = self._held.get(each)
            while queue and queue[0].ready(now_us):
                self._hand_over(queue.popleft())
            if not queue:
                self._held.pop(each, None)

    def wake_us(self) -> int | None:
        """Return when something may be passed on by itself; None where nothing is kept."""
        return min((queue[0].ready_us for queue in self._held.values() if queue), default=None)

    def clear(self) -> None:
        """Forget all."""
        self._held.clear()
        self._early.clear()
        self._count = 0

    def _came_early(self, frame: Frame) -> EventAttributes | None:
        for following in self._early:
            same = (following.source, following.extended) == frame.source
            if same and following.content == frame.data:
                self._early.remove(following)
                return following.attributes
        return None

    def _hand_over(self, held: _Held) -> None:
        self._count -= 1
        self._emit(held.frame, held.attributes)
