"""What tests have an adapter pass its events on to."""

from eventservices.stamp import Stamp
from fes.mapping import Native
from fes.model import Event


class NotingSink:
    """Notes what it gets."""

    def __init__(self) -> None:
        self.events: list[object] = []
        self.aside: list[tuple[str, bytes]] = []

    def heard(self, native: Native, stamp: Stamp | None, answer: object = None) -> None:
        del stamp, answer
        self.events.append(native.subject)

    def heard_control(self, event: Event, stamp: Stamp | None) -> None:
        del stamp
        self.events.append(event)

    def observed(self, seen: object) -> None:
        self.events.append(seen)

    def set_aside(self, reason: str, raw: bytes) -> None:
        self.aside.append((reason, raw))
