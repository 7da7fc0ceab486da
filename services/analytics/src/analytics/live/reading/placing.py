"""Placing: each event that a batch tells of is given its window, once and for all."""

from dataclasses import dataclass

from analytics.live.kept.ledger import Entry, Ledger
from analytics.live.kept.state import State, Window
from analytics.live.reading.intake import Seen


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the events of a batch belong.

    Attributes:
        windows: Of each event.
        entry: What the ledger learns of them.
        again: Events that were delivered once more.
        late: Events that cannot be placed, since they have been abandoned.
    """

    windows: dict[str, int]
    entry: Entry
    again: frozenset[str]
    late: frozenset[str]


def place(told: dict[str, Seen], batch: int, now_us: int, state: State, ledger: Ledger) -> Placed:
    """Assign each event to its window, and note in the windows that there is something new.

    Args:
        told: What the batch tells of each event.
        batch: Its number; that of the window of events that were never seen before.
        now_us: When it was read; no event is later.
        state: Its windows are changed.
        ledger: Knows the events; learns nothing yet.
    """
    late = frozenset(identity for identity in told if ledger.too_late(identity))
    known = {identity: ledger.window(identity) for identity in told if identity not in late}
    windows = {identity: batch if at is None else at for identity, at in known.items()}
    fresh = [identity for identity, at in known.items() if at is None]
    delivered = [identity for identity in windows if told[identity].delivered]
    for identity, window in windows.items():
        _note(state.windows, window, told[identity], batch, now_us)
    if fresh:
        state.windows[batch].events = len(fresh)
    state.too_late += len(late)
    again = frozenset(filter(ledger.was_delivered, delivered))
    return Placed(windows, Entry(fresh, delivered), again, late)


def _note(windows: dict[int, Window], number: int, seen: Seen, batch: int, now_us: int) -> None:
    first_us, last_us = min(seen.first_us, now_us), min(seen.last_us, now_us)
    window = windows.setdefault(number, Window(0, first_us, last_us, []))
    window.first_us = min(window.first_us, first_us)
    window.last_us = max(window.last_us, last_us)
    window.stale = True
    if batch not in window.batches:
        window.batches.append(batch)
