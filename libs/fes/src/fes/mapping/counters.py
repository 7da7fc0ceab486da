"""The counters of a mapping."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

KINDS_MAX: Final = 1024
"""Most (what, native kind) pairs counted separately; further ones are counted together."""

OTHERS: Final = "(others)"


@dataclass(slots=True)
class Counters:
    """Counts of one mapping, since it was made.

    Attributes:
        mapped: Events made, in either direction.
        refused: Events that raised a MappingError, in either direction.
        saturated: Numbers moved to the end of their range.
        short_frames: Payloads too short for a field of their rule.
        undecoded: Payloads or signals kept raw or left out because they have no known meaning.
        unmatched: Native events that no rule matched, set aside.
        implausible: Events left out because a value was outside the range of its rule, in either
            direction.
        left_out: Fields for which the other side has no place.
        by_kind: Of `short_frames`, `undecoded`, `unmatched` and `implausible`: count by (what,
            native kind); of `implausible` outbound, the subject.
    """

    mapped: int = 0
    refused: int = 0
    saturated: int = 0
    short_frames: int = 0
    undecoded: int = 0
    unmatched: int = 0
    implausible: int = 0
    left_out: int = 0
    by_kind: Counter[tuple[str, str]] = field(default_factory=Counter)

    def note(self, what: str, kind: str) -> None:
        """Count `what` for a kind of native event; past `KINDS_MAX` kinds under `(others)`."""
        key = (what, kind)
        if key not in self.by_kind and len(self.by_kind) >= KINDS_MAX:
            key = (what, OTHERS)
        self.by_kind[key] += 1
