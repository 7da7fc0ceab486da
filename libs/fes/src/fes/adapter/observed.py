"""Declarations of native clients, as an adapter observes them at its event service."""

from dataclasses import dataclass

from fes.filter import Condition
from fes.mapping import Native


@dataclass(frozen=True, slots=True)
class Observed:
    """A declaration of a native client, or its withdrawal.

    Attributes:
        by: Identifies the declaration in the event service: which client made it, and which of the
            client's it is. A further one with the same name replaces it.
        wants: Of a subscription: its filter, for native events in the mapping's neutral form.
        asks: Of a subscription to native events that the mapping has no names for: its filter, for
            events of the federation.
        announces: Of an announcement: examples of the native events to come.
        withdrawn: Whether it ended; then the other attributes may be empty.
    """

    by: str
    wants: Condition | None = None
    asks: Condition | None = None
    announces: tuple[Native, ...] = ()
    withdrawn: bool = False
