"""What the replicas of a gateway write for one another into the journal that they share.

One replica leads: it writes the request table and the roster into the journal. The others follow:
they adopt both from it, deliver best-effort events of their own origins, and write there what the
leader is to decide.

Source:
    design, section 6, Store.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import NamedTuple

import msgspec

from fes.control import ControlEvent, from_event, to_event
from fes.control.signal import Attendance
from fes.gateway.inputs import Inject
from fes.link.messages import HeardControl
from fes.model import binary

ROSTER = "roster"
"""Key of the roster, as the leader knows it."""

RESERVE = "reserve\x1f"
"""What the keys of reserved sequence numbers begin with."""

INBOX = "in\x1f"
"""What the keys of messages for the leader begin with."""


OPENED = 10_000
"""Most forwarded requests remembered as opened: more than wait for the leader."""


class Role(Enum):
    """The role of a replica."""

    ALONE = "alone"
    LEADING = "leading"
    FOLLOWING = "following"


class Tail(NamedTuple):
    """What other replicas committed.

    Attributes:
        whole: Whether `changes` are the whole content of the journal, not only what is new.
        changes: Values by key; None where a key was deleted.
    """

    whole: bool
    changes: Mapping[str, bytes | None]

    @property
    def rows(self) -> dict[str, bytes]:
        """Rows of the request table that are new; all rows where the tail is whole."""
        return {key: value for key, value in self.changes.items() if is_request(key) and value}

    @property
    def gone(self) -> frozenset[str]:
        """Names of the rows of the request table that were deleted."""
        return frozenset(
            key for key, value in self.changes.items() if is_request(key) and value is None
        )

    @property
    def reserved(self) -> dict[str, bytes | None]:
        """Numbers that were reserved, by key."""
        return {key: value for key, value in self.changes.items() if key.startswith(RESERVE)}

    def roster(self) -> tuple[Attendance, ...]:
        """Return the roster; empty where nothing is new in it."""
        value = self.changes.get(ROSTER)
        return () if value is None else read_roster(value)


def is_request(key: str) -> bool:
    """Return whether a key names a row of the request table: those begin with a digit."""
    return key[:1].isdigit()


class Forwarded(msgspec.Struct, frozen=True, array_like=True):
    """A request that a replica forwards to the one that leads.

    Attributes:
        service: Event service whose adapter received it; "" where it came over the API.
        message: The request.
        matched: Of a publication: the event services whose subscriptions matched; none where its
            list decides.
    """

    service: str
    message: HeardControl
    matched: tuple[str, ...] = ()

    @staticmethod
    def of(request: ControlEvent, matched: tuple[str, ...] = ()) -> "Forwarded":
        """Return a request from the API, or a publication, as it is forwarded."""
        return Forwarded("", HeardControl(None, binary.encode(to_event(request))), matched)

    def read(self) -> HeardControl | Inject:
        """Return the input that the leader is to process.

        Raises:
            FesError: The value is not a request.
        """
        if self.service:
            return self.message
        return Inject(from_event(binary.decode(self.message.body), None))


class Inbox:
    """The forwarded requests that the leader finds in the journal, each of which it opens once."""

    def __init__(self) -> None:
        self._opened: OrderedDict[str, None] = OrderedDict()

    def opened(self, changes: Mapping[str, bytes | None]) -> Iterator[tuple[str, bytes]]:
        """Open those that were not opened before; yield keys and values, in order."""
        for key, value in sorted(changes.items()):
            if not key.startswith(INBOX) or value is None or key in self._opened:
                continue
            self._opened[key] = None  # a whole state has it until its deletion is committed
            if len(self._opened) > OPENED:
                self._opened.popitem(last=False)
            yield key, value


_encoder = msgspec.msgpack.Encoder()
_forwarded_decoder = msgspec.msgpack.Decoder(Forwarded)
_roster_decoder = msgspec.msgpack.Decoder(tuple[Attendance, ...])


def write_forwarded(forwarded: Forwarded) -> bytes:
    """Return a forwarded request as the journal keeps it."""
    return _encoder.encode(forwarded)


def read_forwarded(value: bytes) -> Forwarded:
    """Return a forwarded request that the journal kept.

    Raises: msgspec.DecodeError: The value is not a forwarded request.
    """
    return _forwarded_decoder.decode(value)


def read_roster(value: bytes) -> tuple[Attendance, ...]:
    """Return a roster that the journal kept.

    Raises: msgspec.DecodeError: The value is not a roster.
    """
    return _roster_decoder.decode(value)


def write_roster(roster: Iterable[Attendance]) -> bytes:
    """Return a roster as the journal keeps it."""
    return _encoder.encode(tuple(roster))
