"""An event in transit through a gateway, and decisions about it."""

import msgspec

from fes.gateway.outputs import Decided
from fes.gateway.weights import EVENT_BYTES, weight_of_text
from fes.model import Stamp


class Transit(msgspec.Struct, frozen=True):
    """An event in transit through a gateway.

    Attributes:
        id: Its identity as text.
        stamp: Its stamp.
        subject: Its subject.
        body: The event as MessagePack.
        expires_us: When it expires, federation clock; 0 is never.
        persistent: Whether it requests persistent delivery.
        arrived: Event service that it came from.
        via: Event services that it passed, oldest first; the last is the one where it was accepted.
        path: Event services that its control event passed; none where it was received natively.
        priority: -32767 .. 32767.
        starts_us: Before when it must not be delivered, federation clock; 0 where at once.
        alone: Whether no other gateway sends it to its destination, though others received what it
            was made from: this one manages scopes.
    """

    id: str
    stamp: Stamp
    subject: str
    body: bytes
    expires_us: int
    persistent: bool
    arrived: str
    via: tuple[str, ...]
    path: tuple[str, ...] = ()
    priority: int = 0
    starts_us: int = 0
    alone: bool = False

    @property
    def trail(self) -> tuple[str, ...]:
        """All event services that it passed, oldest first."""
        return self.via + self.path if self.path else self.via


def of_event(
    decision: str, event: Transit, *, to: str = "", reason: str = "", what: str = ""
) -> Decided:
    """Return a decision about an event."""
    return Decided(
        decision,
        id=event.id,
        event_time_us=event.stamp.time_us,
        subject=event.subject,
        home=event.stamp.home,
        from_=event.arrived,
        to=to,
        path=event.trail,
        type="publication",
        reason=reason,
        what=what,
    )


def weight_of_event(event: Transit) -> int:
    """Return the weight of an event that is kept."""
    texts = (event.id, event.subject, event.stamp.origin, event.stamp.home, *event.trail)
    return EVENT_BYTES + len(event.body) + sum(map(weight_of_text, texts))
