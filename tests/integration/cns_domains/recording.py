"""Clients that know of no domain and keep what they received."""

from eventservices.cns import StructuredEvent, Value
from eventservices.stamp import Stamp


class Anys:
    """Is a consumer of Any events that keeps them."""

    def __init__(self) -> None:
        self.got: list[tuple[Value, Stamp | None]] = []

    @property
    def values(self) -> list[Value]:
        return [value for value, _ in self.got]

    def push(self, value: Value, stamp: Stamp | None) -> None:
        self.got.append((value, stamp))


class Structureds:
    """Is a consumer of structured events, single or in batches, that keeps them."""

    def __init__(self) -> None:
        self.got: list[tuple[StructuredEvent, Stamp | None]] = []

    @property
    def events(self) -> list[StructuredEvent]:
        return [event for event, _ in self.got]

    def push_structured_event(self, event: StructuredEvent, stamp: Stamp | None) -> None:
        self.got.append((event, stamp))

    def push_structured_events(
        self, events: list[StructuredEvent], stamps: list[Stamp | None]
    ) -> None:
        self.got.extend(zip(events, stamps, strict=True))


class Queued:
    """Is a pull supplier that gives what was put into it."""

    def __init__(self) -> None:
        self.waiting: list[object] = []

    def try_pull(self) -> tuple[object, bool]:
        return (self.waiting.pop(0), True) if self.waiting else (None, False)

    def try_pull_structured_event(self) -> tuple[object, bool]:
        return self.try_pull()

    def try_pull_structured_events(self, most: int) -> tuple[list[object], bool]:
        taken, self.waiting = self.waiting[:most], self.waiting[most:]
        return taken, bool(taken)
