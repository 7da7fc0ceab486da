"""The arbiter: which frame has the bus next, as CAN decides it.

Interfaces in software send first what comes first. Here the nodes of a process compete as on a
wire: when the bus is free, the lowest identifier goes; a frame that goes is not interrupted; a
    frame occupies the bus for the duration of its bits. It knows no clock and no socket.

Source:
    ISO 11898-1 (arbitration); COSMIC: earliest deadline first by rising priorities.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Final

from eventservices.cosmic.frame import Frame
from eventservices.cosmic.identifier import HRT_PRIORITY, Identifier, TimeClass, arbitration_key
from eventservices.cosmic.timing import SRT_SLOT_US, frame_time_us, srt_priority
from eventservices.cosmic.transmission import Outcome, Transmission
from eventservices.errors import RefusedError

CATCH_UP_US: Final = 2_000
"""Lost time that the bus makes up for: the host wakes no sooner than a millisecond later."""

RETRY_US: Final = 20_000
"""Pause after a frame that the interface did not accept."""

_NEVER: Final = 1 << 62


@dataclass(slots=True)
class ArbiterCounters:
    """Counts what became of transmissions.

    Attributes:
        frames: Frames sent.
        sent: Transmissions whose frames were all sent.
        late: Those not sent by their deadline.
        expired: Those abandoned because they were worth nothing any more.
        failed: Those abandoned because the interface did not accept a frame even once.
        refused: Those not accepted because too many waited.
        repeated: Frames tried again.
    """

    frames: int = 0
    sent: int = 0
    late: int = 0
    expired: int = 0
    failed: int = 0
    refused: int = 0
    repeated: int = 0


@dataclass(slots=True)
class Arbiter:
    """Chooses among what waits.

    Attributes:
        bit_rate: Bits a second; 0 for a bus that needs no time.
        most: Transmissions that may wait; the next is refused.
        most_bytes: Bytes that may wait.
        slot_us: Time that one step of a soft real-time priority represents.
        free_us: When the bus is free.
        counters: See there.
    """

    bit_rate: int = 1_000_000
    most: int = 4096
    most_bytes: int = 8 * 1024 * 1024
    slot_us: int = SRT_SLOT_US
    free_us: float = 0.0
    counters: ArbiterCounters = field(default_factory=ArbiterCounters)
    _fixed: list[tuple[tuple[int, int, int], int, Transmission]] = field(default_factory=list)
    _soft: list[tuple[int, Transmission]] = field(default_factory=list)
    _hard: list[tuple[int, Transmission]] = field(default_factory=list)
    _order: Iterator[int] = field(default_factory=count)
    _bytes: int = 0
    _sending: tuple[int, Transmission] | None = None

    def __len__(self) -> int:
        """Return how many transmissions wait."""
        waiting = len(self._fixed) + len(self._soft) + len(self._hard)
        return waiting + (self._sending is not None)

    @property
    def sender(self) -> int:
        """Whose frame has the bus; -1 where none has it, or no node sent it."""
        return self._sending[1].sender if self._sending else -1

    def offer(self, wanted: Transmission) -> None:
        """Queue a transmission for the bus.

        Raises:
            RefusedError: Too many wait already.
        """
        if len(self) >= self.most or self._bytes + wanted.size > self.most_bytes:
            self.counters.refused += 1
            raise RefusedError(f"{len(self)} transmissions wait for the bus already")
        self._bytes += wanted.size
        self._put(next(self._order), wanted)

    def next(self, now_us: int) -> Frame | None:
        """Return the frame that has the bus now; None while it is not free, or nobody requests it.

        The caller reports the outcome by `sent` or `failed` before it requests the next.
        """
        self._drop_stale(now_us)
        if now_us < self.free_us:
            return None
        hard = [each for each in self._hard if each[1].start_us <= now_us]
        rivals = [*hard, *self._soft]
        if self._fixed:
            rivals.append(self._fixed[0][1:])
        if not rivals:
            return None
        order, winner = min(rivals, key=lambda each: (self._key(each[1], now_us), each[0]))
        self._take(order, winner)
        return Frame(self._can_id(winner, now_us), winner.part, winner.extended, now_us)

    def sent(self, now_us: int) -> None:
        """Note that the frame went on the bus."""
        order, winner = self._taken()
        self.counters.frames += 1
        length = len(winner.part)
        lasts_us = frame_time_us(length, self.bit_rate, extended=winner.extended)
        self.free_us = max(self.free_us, now_us - CATCH_UP_US) + lasts_us
        if winner.advance():
            self._put(order, winner)
        else:
            self.counters.sent += 1
            self._end(winner, Outcome.SENT, now_us)

    def failed(self, now_us: int) -> None:
        """Note that the interface did not accept the frame."""
        order, winner = self._taken()
        winner.tried += 1
        if winner.tried >= winner.attempts:
            self.counters.failed += 1
            self._end(winner, Outcome.FAILED, now_us)
            return
        self.counters.repeated += 1
        self._put(order, winner)
        if winner.time_class is not TimeClass.HRT:
            self.free_us = max(self.free_us, now_us + RETRY_US)

    def wake_us(self) -> int:
        """Return when something changes by itself; far away where nothing does."""
        moments = [_NEVER]
        if self._fixed or self._soft:
            moments.append(round(self.free_us))
        for _, each in self._hard:
            moments.append(max(each.start_us, round(self.free_us)))
        for _, each in self._soft:
            if not each.late:
                moments.append(each.deadline_us + 1)
            moments.append(each.expires_us or _NEVER)
        return min(moments)

    def withdraw(self, unwanted: Callable[[Transmission], bool]) -> None:
        """Forget transmissions, without notifying anybody."""
        self._hard = [each for each in self._hard if not unwanted(each[1])]
        self._soft = [each for each in self._soft if not unwanted(each[1])]
        kept = [each for each in self._fixed if not unwanted(each[2])]
        self._fixed.clear()
        for each in kept:
            heappush(self._fixed, each)
        waiting = [each for _, each in (*self._hard, *self._soft)]
        waiting += [each for _, _, each in self._fixed]
        self._bytes = sum(each.size for each in waiting)

    def _put(self, order: int, wanted: Transmission) -> None:
        if wanted.time_class is TimeClass.HRT:
            self._hard.append((order, wanted))
        elif wanted.time_class is TimeClass.SRT:
            self._soft.append((order, wanted))
        else:
            key = arbitration_key(wanted.can_id, extended=wanted.extended)
            heappush(self._fixed, (key, order, wanted))

    def _take(self, order: int, winner: Transmission) -> None:
        self._sending = (order, winner)
        if winner.time_class is TimeClass.HRT:
            self._hard.remove((order, winner))
        elif winner.time_class is TimeClass.SRT:
            self._soft.remove((order, winner))
        else:
            heappop(self._fixed)

    def _taken(self) -> tuple[int, Transmission]:
        taken, self._sending = self._sending, None
        if taken is None:
            raise RuntimeError("no frame is being sent")
        return taken

    def _key(self, wanted: Transmission, now_us: int) -> tuple[int, int, int]:
        return arbitration_key(self._can_id(wanted, now_us), extended=wanted.extended)

    def _can_id(self, wanted: Transmission, now_us: int) -> int:
        if wanted.time_class is not TimeClass.SRT:
            return wanted.can_id
        priority = srt_priority(wanted.deadline_us, now_us, self.slot_us)
        return wanted.can_id & Identifier(HRT_PRIORITY, 0x7F, 0x3FFF).can_id | priority << 21

    def _drop_stale(self, now_us: int) -> None:
        for entry in [each for each in self._soft if each[1].deadline_us < now_us]:
            late = entry[1]
            if not late.late:
                late.late = True
                self.counters.late += 1
                late.told(Outcome.LATE, now_us)
            if late.expires_us and late.expires_us <= now_us:
                self._soft.remove(entry)
                self._expire(late, now_us)
        while self._fixed and 0 < self._fixed[0][2].expires_us <= now_us:
            self._expire(heappop(self._fixed)[2], now_us)

    def _expire(self, stale: Transmission, now_us: int) -> None:
        self.counters.expired += 1
        self._end(stale, Outcome.EXPIRED, now_us)

    def _end(self, ended: Transmission, outcome: Outcome, now_us: int) -> None:
        self._bytes -= ended.size
        ended.told(outcome, now_us)
