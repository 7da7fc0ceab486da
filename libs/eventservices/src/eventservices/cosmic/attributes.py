"""Attributes: what an event carries beside its content, and what a channel guarantees."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from eventservices.cosmic.identifier import NRT_PRIORITIES, TimeClass
from eventservices.cosmic.record import INT64
from eventservices.errors import MalformedError
from eventservices.stamp import Stamp, check

NRT_PRIORITY: Final = 254
"""Priority of channels that are not real-time and do not specify one."""

MOST_OTHERS: Final = 64
"""Most attributes of an event beside its stamp."""

MAX_OMISSION: Final = 15
MAX_US: Final = 3600 * 1_000_000

Value = str | int | float | bool | bytes
"""What an attribute may be."""


@dataclass(frozen=True, slots=True)
class ChannelAttributes:
    """What a channel guarantees, as its publishers and its subscribers declare it.

    Attributes:
        time_class: Hard, soft or not real-time.
        period_us: HRT: time between two slots; for a subscriber, longest time between two events,
            0 where none is missed.
        tolerance_us: For a subscriber of a channel with a period: how late an event may come.
        omission: HRT: how often a frame that failed is repeated within its slot.
        deadline_us: SRT: when an event is to be sent, from its publication.
        validity_us: SRT and NRT: how long an event is worth sending; 0 for ever.
        priority: NRT: 251 .. 255.
        stamped: Whether publishers send each event's stamp and other attributes.
        hold_us: For a subscriber: longest wait for the attributes of an event of at most 8 bytes,
            which follow it in frames of their own; 0 delivers it without.
        local: Whether events are for this network only; gateways do not accept them elsewhere.
    """

    time_class: TimeClass = TimeClass.NRT
    period_us: int = 0
    tolerance_us: int = 10_000
    omission: int = 0
    deadline_us: int = 100_000
    validity_us: int = 0
    priority: int = NRT_PRIORITY
    stamped: bool = True
    hold_us: int = 0
    local: bool = False

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            MalformedError: One is out of range, or a hard real-time channel has no period.
        """
        for name in ("period_us", "tolerance_us", "deadline_us", "validity_us", "hold_us"):
            if not 0 <= getattr(self, name) <= MAX_US:
                raise MalformedError(f"{name} must be 0 .. {MAX_US}")
        if not 0 <= self.omission <= MAX_OMISSION:
            raise MalformedError(f"omission must be 0 .. {MAX_OMISSION}")
        if self.priority not in NRT_PRIORITIES:
            raise MalformedError(f"priority {self.priority} is not one of 251 .. 255")


class EventAttributes(msgspec.Struct, frozen=True, array_like=True):
    """What is with an event on the bus.

    Attributes:
        stamp: Its identity; None where the publisher returns none.
        typed: Whether the content is a record.
        others: Further attributes, by name: `Deadline`, `Expiration`, `Location`, whatever.
    """

    stamp: Stamp | None = None
    typed: bool = False
    others: Annotated[dict[str, Any], Meta(max_length=MOST_OTHERS)] = {}


NO_ATTRIBUTES: Final = EventAttributes()


class Following(msgspec.Struct, frozen=True, array_like=True):
    """The attributes of an event of at most 8 bytes, in frames of their own after it.

    Attributes:
        source: Node and etag of the event's identifier; the whole of a short identifier.
        extended: Whether the event's identifier has 29 bits.
        content: The event's, so that the two are found together again.
        attributes: What is with the event.
    """

    source: int
    extended: bool
    content: Annotated[bytes, Meta(max_length=8)]
    attributes: EventAttributes


_following = msgspec.msgpack.Decoder(Following)
_attributes = msgspec.msgpack.Decoder(EventAttributes)
_encode = msgspec.msgpack.Encoder().encode
_LENGTH_BYTES: Final = 2


def check_others(others: Mapping[str, Any]) -> None:
    """Check attributes beside the stamp.

    Raises:
        MalformedError: One is of no type that there is, or there are too many.
    """
    if len(others) > MOST_OTHERS:
        raise MalformedError(f"{len(others)} attributes, more than {MOST_OTHERS}")
    for name, value in others.items():
        whole = type(value) is int and value in INT64
        if not isinstance(name, str) or not (whole or type(value) in (str, float, bool, bytes)):
            raise MalformedError(f"attribute {name!r:.100}: no type can represent {value!r:.100}")


def join(attributes: EventAttributes, content: bytes) -> bytes:
    """Return an event's bytes: its attributes, their length before them, then its content.

    Raises:
        MalformedError: A text is not Unicode text, or the attributes are too long.
    """
    block = _encoded(attributes)
    if len(block) >= 1 << 8 * _LENGTH_BYTES:
        raise MalformedError(f"attributes of {len(block)} bytes are too long")
    return len(block).to_bytes(_LENGTH_BYTES, "big") + block + content


def part(data: bytes) -> tuple[EventAttributes, bytes]:
    """Return the attributes and the content of an event's bytes.

    Raises:
        MalformedError: They do not contain both.
    """
    length = int.from_bytes(data[:_LENGTH_BYTES], "big")
    end = _LENGTH_BYTES + length
    if len(data) < end:
        raise MalformedError("an event's attributes are cut off")
    return _decoded(_attributes, data[_LENGTH_BYTES:end]), data[end:]


def encode_following(following: Following) -> bytes:
    """Return the bytes that carry an event's attributes after it."""
    return _encoded(following)


def decode_following(data: bytes) -> Following:
    """Return the attributes of an event that came before them.

    Raises:
        MalformedError: They are not attributes.
    """
    following: Following = _decoded(_following, data)
    _checked(following.attributes)
    return following


def _encoded(what: EventAttributes | Following) -> bytes:
    try:
        return _encode(what)
    except (UnicodeEncodeError, OverflowError, TypeError) as error:
        raise MalformedError(f"attributes: {error}") from error


def _decoded(decoder: "msgspec.msgpack.Decoder[Any]", data: bytes) -> Any:
    try:
        found = decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedError(f"attributes are not well formed: {error}") from error
    return _checked(found) if isinstance(found, EventAttributes) else found


def _checked(attributes: EventAttributes) -> EventAttributes:
    if attributes.stamp is not None:
        check(attributes.stamp)
    check_others(attributes.others)
    return attributes
