"""What payloads could not carry, counted."""

from dataclasses import asdict, dataclass


@dataclass(slots=True)
class Losses:
    """Counts what is lost between events and payloads.

    Attributes:
        fields_lost: Parameters that a schema has no place for, and fields that it does not know.
        types_changed: Values that come back as another type, equal in value.
        precision_lost: Numbers that a shorter type rounds.
        details_lost: Metrics of Sparkplug with properties, or with a time of their own.
    """

    fields_lost: int = 0
    types_changed: int = 0
    precision_lost: int = 0
    details_lost: int = 0

    def by_name(self) -> dict[str, int]:
        """Return the counts by name."""
        return asdict(self)
