"""What an adapter sees native clients declare at its event service."""

from dataclasses import dataclass

from fes.filter import Condition
from fes.mapping import Native


@dataclass(frozen=True, slots=True)
class Observed:
    """A native client declared something, or withdrew it.

    Attributes:
        by: Names the declaration among all of the event service: who made it, and which of its
            own it is. The same again replaces the one before.
        wants: Of a subscription: its filter, of native events in the mapping's neutral form.
        asks: Of a subscription whose native events the mapping has no names for: its filter, of
            events of the federation.
        announces: Of an announcement: the native events that are like those to come.
        withdrawn: Whether it ended; then the others need not be told.
    """

    by: str
    wants: Condition | None = None
    asks: Condition | None = None
    announces: tuple[Native, ...] = ()
    withdrawn: bool = False
