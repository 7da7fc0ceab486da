"""Identities of the events that a rule makes: derived from the rule, not from its list.

Two gateways at one event service may have different lists. The same rule makes the same identity
from one native event at both, and different rules make different ones. Outbound is the inverse of
inbound: an event that is published at a service again has the identity that it had there.

    native `car`  --in-->  `car#1a2b3c4d`  --out-->  `car`
    event  `car`  --out-->  `car~1a2b3c4d`  --in-->  `car`
"""

import json
from dataclasses import dataclass
from hashlib import blake2s
from typing import Final, Generic, TypeVar

from fes.mapping.native import Native
from fes.mapping.rules.model import Rule
from fes.model import Event

TAG_BYTES: Final = 4
"""Octets of a tag, two characters each; `clashes` finds equal tags of different rules."""

_IN: Final = "#"
_OUT: Final = "~"


@dataclass(frozen=True, slots=True)
class EventPart:
    """One event that was made from a native event.

    Attributes:
        event: The event.
        time_us: Its time where the native event contains it, microseconds since 1970 UTC.
        tag: Distinguishes it from other events made from the same one; empty where it is the same
            event.
    """

    event: Event
    time_us: int | None = None
    tag: str = ""

    def origin(self, native: str) -> str:
        """Return the event's origin, derived from the native event's."""
        return _swapped(native, self.tag, _OUT, _IN)


@dataclass(frozen=True, slots=True)
class NativePart:
    """One native event that was made from an event; attributes as in `EventPart`."""

    native: Native
    tag: str = ""

    def origin(self, event: str) -> str:
        """Return the native event's origin, derived from the event's."""
        return _swapped(event, self.tag, _IN, _OUT)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An event that was not made since a value was outside the range of its rule.

    Attributes:
        subject: FES subject.
        reason: States rule, field, value and range.
    """

    subject: str
    reason: str


Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Made(Generic[Part]):
    """What a mapping made from one event.

    Attributes:
        parts: The events of the other side.
        left_out: The events that were not made.
    """

    parts: tuple[Part, ...]
    left_out: tuple[LeftOut, ...] = ()


def tag_of(rule: Rule, native: tuple[str | None, int | None, bool], *, group: bool = False) -> str:
    """Return the tag that a rule adds to identities; empty where it keeps them.

    Args:
        rule: The rule.
        native: Native subject, CAN identifier, and whether that has 29 bits.
        group: Whether the rule applies to every identifier of its parameter group.
    """
    same = rule.native is None or rule.native.subject == rule.subject
    renames_nothing = same and native[1] is None and not rule.name
    if rule.identity == "native" or renames_nothing:
        return ""
    described = json.dumps([*native, rule.subject, rule.name, *["group"] * group])
    return blake2s(described.encode("utf-8", "surrogatepass"), digest_size=TAG_BYTES).hexdigest()


def numbered(tag: str, index: int) -> str:
    """Return the tag of one of several events that one rule made from one."""
    return f"{tag}.{index}" if index else tag


def _swapped(origin: str, tag: str, undone: str, added: str) -> str:
    if not tag:
        return origin
    mark = f"{undone}{tag}"
    undoes = origin.endswith(mark) and len(origin) > len(mark)
    return origin.removesuffix(mark) if undoes else f"{origin}{added}{tag}"
