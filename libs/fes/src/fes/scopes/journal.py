"""What scopes keep in the journal of the gateway that manages them."""

from collections.abc import Mapping

import msgspec

from fes.model import Event, binary
from fes.scopes.handled import HandledEvents
from fes.scopes.mappings.gathering import Gatherings
from fes.scopes.policies.choosing import Choices
from fes.scopes.policies.waiting import Queue, Waiting
from fes.scopes.progress import Progress, ProgressRow

_encoder = msgspec.msgpack.Encoder()
_waiting = msgspec.msgpack.Decoder(Waiting)
_progress = msgspec.msgpack.Decoder(ProgressRow)
_moment = msgspec.msgpack.Decoder(int)
_text = msgspec.msgpack.Decoder(str)
_events = msgspec.msgpack.Decoder(tuple[bytes, ...])


class ScopeState:
    """The state of policies and mappings, and the rows that keep it."""

    def __init__(self) -> None:
        self._changes: dict[str, bytes | None] = {}
        self.choices = Choices(self._note)
        self.gatherings = Gatherings(self._note)
        self.queue = Queue(self._note)
        self.progress: dict[str, Progress] = {}
        self.handled = HandledEvents(self._note)

    def changes(self) -> dict[str, bytes | None]:
        """Return the rows that changed since the last call; None where one was deleted."""
        changes, self._changes = self._changes, {}
        return changes

    def keep(self, event_key: str, progress: Progress) -> None:
        """Keep what became of an event for as long as something that was made of it waits."""
        if not self.queue and not self.progress:
            return
        if self.queue.keeps(event_key):
            self.progress[event_key] = progress
            self._note(f"progress/{event_key}", progress.row())
        elif self.progress.pop(event_key, None) is not None:
            self._note(f"progress/{event_key}", None)

    def restore(self, rows: Mapping[str, bytes]) -> tuple[str, ...]:
        """Restore the rows of a journal; return the keys of those that cannot be read.

        Args:
            rows: By key.
        """
        unreadable = []
        for key, value in sorted(rows.items(), key=_by_number):
            try:
                self._restore(key, value)
            except (msgspec.DecodeError, ValueError):
                unreadable.append(key)
        self.handled.sort()
        self._changes = {}
        return tuple(unreadable)

    def _restore(self, key: str, value: bytes) -> None:
        kind = key.partition("/")[0]
        match kind:
            case "turn" | "sticky":
                self.choices.restore(key, _text.decode(value))
            case "gathered":
                events = tuple(binary.decode(each) for each in _events.decode(value))
                self.gatherings.restore(key, events)
            case "waiting":
                self.queue.restore(_waiting.decode(value))
            case "progress":
                progress = Progress.of(_progress.decode(value))
                self.progress[key.partition("/")[2]] = progress
            case "handled":
                self.handled.restore(key.partition("/")[2], _moment.decode(value))
            case _:
                raise ValueError(f"not a row of scopes: {key}")

    def _note(self, key: str, value: object | None) -> None:
        if value is None:
            self._changes[key] = None
        elif isinstance(value, tuple):
            events = tuple(binary.encode(each) for each in value if isinstance(each, Event))
            self._changes[key] = _encoder.encode(events)
        else:
            self._changes[key] = _encoder.encode(value)


def _by_number(row: tuple[str, bytes]) -> tuple[str, int, str]:
    """Order rows so that what waited first is restored first."""
    kind, _, rest = row[0].partition("/")
    return (kind, int(rest), "") if kind == "waiting" and rest.isdigit() else (kind, 0, rest)
