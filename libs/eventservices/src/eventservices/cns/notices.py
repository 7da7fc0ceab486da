"""What the members of a channel send one another, as MessagePack on `cns.change.<channel>`."""

import msgspec

from eventservices.cns.changes import Member
from eventservices.cns.event_type import EventType, canonical
from eventservices.errors import MalformedError
from eventservices.text import check_text

MAX_TYPES = 500
"""Most types, besides all, that one member may offer, and that it may subscribe to."""

MAX_BEAT_S = 3600.0
MAX_NAME_CHARACTERS = 255


class State(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """A member's whole state; it replaces what was known of the member."""

    member: str
    client: str
    version: int
    beat_s: float
    offers: tuple[EventType, ...]
    subscriptions: tuple[EventType, ...]


class Beat(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """A sign of life; a member that does not know this version queries the state."""

    member: str
    version: int


class Query(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """Queries the state of one member, or of all where `member` is empty."""

    member: str = ""


class Leave(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """Reports that a member has left."""

    member: str


Notice = State | Beat | Query | Leave

_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Notice] = msgspec.msgpack.Decoder(Notice)


def encode_notice(notice: Notice) -> bytes:
    """Return a notice's payload."""
    return _encoder.encode(notice)


def decode_notice(payload: bytes) -> Notice:
    """Return the notice in a payload.

    Raises:
        MalformedError: It is none.
    """
    try:
        return _decoder.decode(payload)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise MalformedError(f"no notice: {error}") from error


def state_of(member: Member) -> State:
    """Return the notice that contains a member's state."""
    return State(
        member.id,
        member.client,
        member.version,
        member.beat_s,
        tuple(sorted(member.offers)),
        tuple(sorted(member.subscriptions)),
    )


def member_of(state: State) -> Member:
    """Return the member whose state a notice contains.

    Raises:
        MalformedError: A name, the number of types, a type or the beat is out of range.
    """
    for name in (state.member, state.client):
        check_text(name, "a member's name", MAX_NAME_CHARACTERS, least=0)
    if max(len(state.offers), len(state.subscriptions)) > MAX_TYPES + 1:
        raise MalformedError(f"member {state.member[:40]!r} names more than {MAX_TYPES} types")
    if not 0 < state.beat_s <= MAX_BEAT_S:
        raise MalformedError(f"member {state.member[:40]!r} beats every {state.beat_s} s")
    return Member(
        state.member,
        state.client,
        state.version,
        frozenset(canonical(item) for item in state.offers),
        frozenset(canonical(item) for item in state.subscriptions),
        state.beat_s,
    )
