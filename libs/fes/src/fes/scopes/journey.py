"""An event while it is routed through scopes, and what comes of it."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from fes.model import Event, Stamp
from fes.scopes.progress import Progress


class Dropped(StrEnum):
    """Why something of an event ends."""

    OVERFLOW = "scope's queue is full"
    EXPIRED = "expired while it waited"
    ENDED = "session ended"
    WITHDRAWN = "membership was withdrawn"
    LATER = "joined after the event"
    SEGMENTS = "too many paths"


class Delivered(NamedTuple):
    """One event for one consumer.

    Attributes:
        consumer: Component that receives it.
        event: As the mappings left it.
        stamp: Its identity: the published event's where nothing was made of it.
        session: Session that the consumer receives it in; empty for none.
        mappings: How many mappings it passed.
        chain: Numbers of the stations it passed.
    """

    consumer: str
    event: Event
    stamp: Stamp
    session: str
    mappings: int = 0
    chain: tuple[int, ...] = ()


@dataclass(slots=True)
class Outcome:
    """What comes of an event or of time.

    Attributes:
        deliveries: In order.
        waiting: How many began to wait.
        dropped: Reason and identity of what ended.
    """

    deliveries: list[Delivered] = field(default_factory=list)
    waiting: int = 0
    dropped: list[tuple[Dropped, str]] = field(default_factory=list)

    def drop(self, reason: Dropped, stamp: Stamp) -> None:
        """Note that something of an event ended."""
        self.dropped.append((reason, str(stamp.identity)))


@dataclass(slots=True)
class Journey:
    """An event while it is routed.

    Attributes:
        key: Names it, whatever became of it.
        stamp: As its producer published it.
        publisher: Component that published it.
        now_us: Federation clock.
        since_us: When the `Timeout` of what is routed begins: when it was published, or released.
        generation: Of the graph in which it was first received.
        progress: Who received it before.
        outcome: What came of it.
        context: Session that its publisher reacts in.
        listed: The only consumers that may receive it, without a subscription; empty where
            subscriptions decide.
    """

    key: str
    stamp: Stamp
    publisher: str
    now_us: int
    since_us: int
    generation: int
    progress: Progress
    outcome: Outcome
    context: str = ""
    listed: tuple[str, ...] = ()
