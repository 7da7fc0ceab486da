"""Stamps: the identity that a native client adds to every event it publishes.

A stamp lets a receiver recognise an event that it has had before, by whichever route. It
travels in the service's own place: one packed header on NATS, the first element of the payload
on MQTT 3.1.1.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote, unquote

import msgspec
from serving.clocks import wall_us

from eventservices.errors import MalformedError

HEADER = "Event-Stamp"
"""Name of the NATS header that carries a packed stamp."""

MAX_VIA = 8
"""Most event services that a stamp's trail may name."""

MAX_NAME = 512
"""Longest origin, home or name in a trail, in characters."""

_INT64 = 2**63 - 1
_SAFE = "/.:@+~"
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_ENCODED = re.compile(r"[\x00-\x1f\x7f]")
_KEPT_NAMES = 4096


class Stamp(msgspec.Struct, frozen=True, array_like=True):
    """The identity of one event, with when and where it was first published.

    Attributes:
        origin: Name of the publisher; not empty.
        epoch: Grows whenever the publisher lost its counter; 0 .. 2**63 - 1.
        sequence: Counts the publisher's events within an epoch from 1; at most 2**63 - 1.
        time_us: The producer's time, microseconds since 1970 UTC.
        home: Event service where the event was first published.
        via: Event services that the event passed before this one, oldest first; at most `MAX_VIA`.
    """

    origin: str
    epoch: int
    sequence: int
    time_us: int
    home: str
    via: tuple[str, ...] = ()

    @property
    def identity(self) -> tuple[str, int, int]:
        """The identity as people write it; unique among the events of one home."""
        return (self.origin, self.epoch, self.sequence)

    @property
    def key(self) -> tuple[str, int, int, str]:
        """What makes two copies the same event: the identity, and the home that it is unique in."""
        return (self.origin, self.epoch, self.sequence, self.home)


class Stamper:
    """Makes the stamps of one publisher, each sequence number once.

    Args:
        origin: Name of the publisher, unique in the event service. Control characters, which a
            native name may have and a stamp may not, are percent-encoded.
        home: Event service where it publishes; likewise.
        epoch: Must be larger than any epoch used before under this origin; by default the wall
            clock in microseconds.
        clock_us: Returns the producer's time where a caller specifies none, microseconds since 1970
            UTC.

    Raises:
        MalformedError: `origin`, `home` or `epoch` is such that no receiver would accept the
            stamps.
    """

    def __init__(
        self,
        origin: str,
        home: str,
        *,
        epoch: int | None = None,
        clock_us: Callable[[], int] | None = None,
    ) -> None:
        self.origin = printable(origin)
        self.home = printable(home)
        self.epoch = wall_us() if epoch is None else epoch
        self._clock_us = clock_us or wall_us
        self._sequence = 0
        first = check(Stamp(self.origin, self.epoch, 1, 0, self.home))
        pack(first)  # the names are Unicode text

    def next(self, time_us: int | None = None) -> Stamp:
        """Return the next stamp.

        Args:
            time_us: The producer's time; the clock's where None.

        Raises:
            MalformedError: The time is out of range; the sequence number was not used.
        """
        moment = self._clock_us() if time_us is None else time_us
        if not -_INT64 <= moment <= _INT64:
            raise MalformedError(f"stamp's time is out of range: {moment}")
        self._sequence += 1
        return Stamp(self.origin, self.epoch, self._sequence, moment, self.home)


def printable(name: str) -> str:
    """Return a name with its control characters percent-encoded."""
    return _ENCODED.sub(lambda found: quote(found[0], safe=""), name)


def pack(stamp: Stamp) -> str:
    """Return a stamp as one line of ASCII, for a header.

    The fields are joined by `;`, the trail's names by `,`; text is percent-encoded.

    Raises:
        MalformedError: A name is not Unicode text.
    """
    via = ",".join(map(_encoded, stamp.via)) if stamp.via else ""
    origin, home = _encoded(stamp.origin), _encoded(stamp.home)
    return f"{origin};{stamp.epoch};{stamp.sequence};{stamp.time_us};{home};{via}"


@lru_cache(_KEPT_NAMES)
def _encoded(name: str) -> str:
    try:
        return quote(name, safe=_SAFE)
    except UnicodeEncodeError as error:
        raise MalformedError(f"a name in a stamp is not Unicode text: {name[:100]!r}") from error


def unpack(text: str) -> Stamp:
    """Return the stamp that `pack` wrote.

    Raises:
        MalformedError: `text` is not a packed stamp.
    """
    parts = text.split(";")
    if len(parts) != 6:
        raise MalformedError(f"stamp has {len(parts)} fields instead of 6: {text[:100]!r}")
    origin, epoch, sequence, time_us, home, via = parts
    try:
        stamp = Stamp(
            _decoded(origin),
            int(epoch),
            int(sequence),
            int(time_us),
            _decoded(home),
            tuple(map(_decoded, via.split(","))) if via else (),
        )
    except ValueError as error:
        raise MalformedError(f"stamp is not well formed: {text[:100]!r}") from error
    return check(stamp)


def _decoded(name: str) -> str:
    return unquote(name, errors="strict") if "%" in name else name


def check(stamp: Stamp) -> Stamp:
    """Return `stamp` if its fields are in range.

    Raises:
        MalformedError: A field is out of range; the message names it.
    """
    names = (stamp.origin, stamp.home, *stamp.via)
    if not all(names):
        raise MalformedError("stamp names no origin or no home, or its trail has a gap")
    if not 0 <= stamp.epoch <= _INT64 or not 1 <= stamp.sequence <= _INT64:
        raise MalformedError(f"stamp's epoch or sequence is out of range: {stamp.identity}")
    if not -_INT64 <= stamp.time_us <= _INT64:
        raise MalformedError(f"stamp's time is out of range: {stamp.time_us}")
    if len(stamp.via) > MAX_VIA:
        raise MalformedError(f"stamp passed {len(stamp.via)} event services, more than {MAX_VIA}")
    if max(map(len, names)) > MAX_NAME:
        raise MalformedError(f"stamp has a name of more than {MAX_NAME} characters")
    bad = next(filter(_CONTROL.search, names), None)
    if bad is not None:
        raise MalformedError(f"a name in a stamp has a control character: {bad[:60]!r}")
    return stamp
