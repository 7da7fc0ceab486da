"""Capabilities: what an adapter's event service can do with its settings."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an event service, seen through its adapter, can do.

    Attributes:
        filters_at_source: Whether native subscriptions apply content filters before delivery.
        observes: Which declarations of native clients can be observed: `subscriptions`,
            `announcements`.
        needs_announcement: Whether an event must be announced before it is published.
        stamps: Whether events carry their stamp.
        suppresses: Whether native clients suppress a repeated identity.
        persistent: Whether it keeps events over a restart.
        max_event_bytes: Largest event; 0 where no limit is known.
        keeps_attributes: Whether attributes that it does not know pass through.
        keeps_types: Names of the types that cross unchanged.
        pull: Whether events must be pulled.
        honours: Standard attributes that the event service itself acts on.
        redelivers_s: After how long, at the latest, it delivers again what its adapter did not
            acknowledge; seconds, 0 where it does not.
        deduplicates_s: For how long it refuses a second event with the same identity; seconds, 0
            where it does not.
    """

    filters_at_source: bool = False
    observes: tuple[str, ...] = ()
    needs_announcement: bool = False
    stamps: bool = True
    suppresses: bool = True
    persistent: bool = False
    max_event_bytes: int = 0
    keeps_attributes: bool = True
    keeps_types: tuple[str, ...] = (
        "STRING",
        "LONG",
        "DOUBLE",
        "EVENT",
        "LONGLONG",
        "BOOLEAN",
        "OCTETS",
    )
    pull: bool = False
    honours: tuple[str, ...] = ()
    redelivers_s: float = 0.0
    deduplicates_s: float = 0.0

    def by_name(self) -> dict[str, object]:
        """Return the capabilities as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Notes:
    """What is to be reported of the payloads of an event service.

    Attributes:
        faults: What is wrong with the files that its settings name.
        losses: What its payloads do not carry, in words.
    """

    faults: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
